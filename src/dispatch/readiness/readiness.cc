#include "dispatch/readiness/readiness.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <csignal>
#include <cstring>
#include <utility>

#include "base/journal.h"
#include "base/probe_note.h"
#include "dispatch/readiness/probe_record.h"
#include "log/log.h"
#include "process/command.h"
#include "process/pid_ref.h"

namespace drover::dispatch {
namespace {

using std::chrono::steady_clock;

constexpr MonoNs ns(std::chrono::nanoseconds time) {
  return time.count();
}

// The least that a keeper needs. Without the variable of a run: other processes do not take it for
// a run.
process::Command command_of(const std::string& program) {
  return {.argv = {program, "--noop"},
          .environment = {},
          .cwd = "/",
          .output_bytes_max = limits::kOutputLimitMin,
          .note = std::string(kProbeNote)};
}

std::unexpected<Error> unavailable(std::string message) {
  return fail(ErrorCode::unavailable, "probe_failed", std::move(message));
}

Result<> result_of(const StatusRecord& status) {
  if (status.failed_step != LaunchStep::none) {
    return unavailable(fmt::format("the step {} of its launch failed: {}", name(status.failed_step),
                                   ::strerrordesc_np(status.error_number)));
  }
  if (status.exited != 0 && status.exit_code == 0) return {};
  return unavailable(status.exited != 0
                         ? fmt::format("its command exited with code {}", status.exit_code)
                         : fmt::format("its command was killed by signal {}", status.signal));
}

}  // namespace

void Readiness::see_end(MonoNs launched) {
  proven_ = std::max(proven_.value_or(launched), launched);
}

bool Readiness::is_proven() const {
  return proven_ && host_.clock.mono_ns() - *proven_ <= ns(kReadyAgeMax);
}

bool Readiness::take(const RunId& id, const process::Report& report) {
  if (!current_ || current_->id != id) return false;
  switch (report.header.kind) {
    case process::ReportKind::started:
      current_->step = Step::end;
      break;
    case process::ReportKind::ended: {
      const StatusRecord& status = report.ended.ending.status;
      if (status.failed_step == LaunchStep::none) current_->step = Step::end;
      this->report(result_of(status));
      break;
    }
    case process::ReportKind::refused:
      this->report(
          unavailable(fmt::format("the step {} of its launch failed: {}", name(report.failure.step),
                                  ::strerrordesc_np(report.failure.error_number))));
      break;
    case process::ReportKind::occupied:
    case process::ReportKind::lost:
      this->report(unavailable("its keeper died"));
      break;
    case process::ReportKind::grown:
      break;
  }
  return true;
}

bool Readiness::take_loss(const RunId& id) {
  if (!current_ || current_->id != id) return false;
  report(unavailable("the cradle was lost; another is being started"));
  return true;
}

void Readiness::report(Result<> result) {
  current_->reported = std::move(result);
  for (const auto& timer : current_->waiting) timer->cancel();
}

asio::awaitable<void> Readiness::wait(Probe& probe, steady_clock::time_point deadline,
                                      bool for_outcome) {
  const auto timer = std::make_shared<asio::steady_timer>(host_.loop, deadline);
  probe.waiting.push_back(timer);
  const auto is_due = [&] {
    return for_outcome ? probe.outcome.has_value() : probe.reported.has_value();
  };
  while (!is_due() && steady_clock::now() < deadline) {
    boost::system::error_code woken;
    co_await timer->async_wait(asio::redirect_error(asio::use_awaitable, woken));
  }
  std::erase(probe.waiting, timer);
}

std::shared_ptr<Readiness::Probe> Readiness::begin() {
  auto probe = std::make_shared<Probe>(Probe{.id = ids_.next(), .began = host_.clock.mono_ns()});
  current_ = probe;
  host_.spawn(run(probe));  // It may fail at once: `current_` is null then.
  return probe;
}

asio::awaitable<void> Readiness::run(std::shared_ptr<Probe> probe) {
  const Result<> ended = co_await start_and_end(*probe);
  directories_.discard(probe->id);
  if (ended) {
    see_end(probe->launched);
    probe->outcome = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::nanoseconds(host_.clock.mono_ns() - probe->began));
  } else {
    probe->outcome = failed(*probe, ended.error());
    log::warn("not ready: {}", probe->outcome->error().message);
  }
  current_ = nullptr;
  last_ = probe;
  for (const auto& timer : probe->waiting) timer->cancel();
}

asio::awaitable<Result<>> Readiness::start_and_end(Probe& probe) {
  // The file first, as for every run (queue/submissions.h).
  if (auto made = directories_.create(probe.id, command_of(program_)); !made) co_return made;
  auto recorded = co_await record_probe(host_.spine, host_.reads, probe.id, "starting");
  if (!recorded) co_return recorded;
  probe.step = Step::launch;
  probe.launched = host_.clock.mono_ns();
  launcher_.launch(probe.id);
  co_await wait(probe, steady_clock::now() + kProbeMax, false);
  if (!probe.reported) {
    give_up(probe.id);
    co_return unavailable(fmt::format("it was given up after {} s", kProbeMax.count()));
  }
  if (!*probe.reported) co_return *probe.reported;
  co_return co_await record_probe(host_.spine, host_.reads, probe.id, "ended");
}

// No keeper may start it any more; one that has is killed. Its command does nothing.
void Readiness::give_up(const RunId& id) {
  const std::string file = host_.home.run_file(id);
  const auto forbidden = forbid_launch(file);
  if (forbidden && *forbidden) return;
  const auto journal = read_journal_state(file);
  if (journal && journal->liveness == Liveness::alive && journal->text.identity) {
    process::send_signal(journal->text.identity->keeper, SIGKILL);
  }
}

asio::awaitable<Result<>> Readiness::check() {
  if (is_proven()) co_return Result<>{};
  const bool is_too_soon =
      last_ && !*last_->outcome && host_.clock.mono_ns() - last_->began < ns(kProbeEvery);
  if (!current_ && is_too_soon) co_return std::unexpected(last_->outcome->error());
  const auto took = co_await probe();
  // Another run may have proven it meanwhile.
  if (!took && !is_proven()) co_return std::unexpected(took.error());
  co_return Result<>{};
}

asio::awaitable<Result<std::chrono::milliseconds>> Readiness::probe() {
  const std::shared_ptr<Probe> probe = current_ ? current_ : begin();
  co_await wait(*probe, steady_clock::now() + kProbeWait, true);
  if (!probe->outcome) co_return hangs(*probe);
  co_return *probe->outcome;
}

asio::awaitable<void> Readiness::settle() {
  if (const std::shared_ptr<Probe> probe = current_) {
    co_await wait(*probe, steady_clock::now() + kProbeWait, true);
  }
}

std::unexpected<Error> Readiness::failed(const Probe& probe, const Error& error) const {
  // It has a message of its own that says what to do.
  if (error.reason == "database_gone") return std::unexpected(error);
  switch (probe.step) {
    case Step::store:
      return fail(ErrorCode::unavailable, "not_ready_store",
                  "the store cannot record the start of a run: " + error.message);
    case Step::launch:
      return fail(ErrorCode::unavailable, "not_ready_launch",
                  "a probe run cannot be launched: " + error.message);
    case Step::end:
      return fail(ErrorCode::unavailable, "not_ready_end",
                  "a probe run was started and did not end as it should: " + error.message);
  }
  std::unreachable();
}

std::unexpected<Error> Readiness::hangs(const Probe& probe) const {
  const auto waited = std::chrono::nanoseconds(host_.clock.mono_ns() - probe.began);
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(waited).count();
  switch (probe.step) {
    case Step::store:
      return fail(ErrorCode::unavailable, "not_ready_store",
                  fmt::format("the store has not recorded the start of a run for {} s; check the "
                              "disk of the state directory",
                              seconds));
    case Step::launch:
      return fail(ErrorCode::unavailable, "not_ready_launch",
                  fmt::format("no keeper has started a probe run for {} s; the cradle may be "
                              "stopped, which the daemon repairs by itself",
                              seconds));
    case Step::end:
      return fail(ErrorCode::unavailable, "not_ready_end",
                  fmt::format("a probe run was started and has not finished for {} s", seconds));
  }
  std::unreachable();
}

}  // namespace drover::dispatch
