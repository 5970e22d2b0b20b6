#include "dispatch/run_dispatcher.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <utility>

#include "base/background.h"
#include "base/crash_point.h"
#include "dispatch/endings.h"
#include "log/log.h"
#include "run/redact.h"

namespace drover::dispatch {

std::string_view name(CancelOutcome outcome) {
  switch (outcome) {
    case CancelOutcome::canceled:
      return "canceled";
    case CancelOutcome::cancel_requested:
      return "cancel_requested";
    case CancelOutcome::already_finished:
      return "already_finished";
    case CancelOutcome::not_cancellable:
      return "not_cancellable";
  }
  std::unreachable();
}

RunDispatcher::RunDispatcher(asio::any_io_executor loop, Home home, Settings settings,
                             const Clock& clock, store::Store& store, spine::Spine& spine)
    : loop_(std::move(loop)),
      home_(std::move(home)),
      settings_(std::move(settings)),
      clock_(clock),
      store_(store),
      spine_(spine),
      boot_(process::boot_id()),
      ids_(clock),
      born_(ids_.next()),
      folders_(home_),
      launcher_(loop_, home_, settings_.keeper_program, settings_.descriptors_max,
                settings_.cgroups.folder),
      line_(loop_, home_),
      watch_(loop_, home_, [this](const RunId& id) { look_again(id); }),
      alarms_(loop_, clock_, [this](const RunId& id) { review(id); }),
      all_landed_(loop_, std::chrono::steady_clock::time_point::max()) {}

void RunDispatcher::spawn(asio::awaitable<void> work) {
  asio::co_spawn(loop_, std::move(work), in_background);
}

asio::awaitable<void> RunDispatcher::pause(std::chrono::milliseconds time) {
  asio::steady_timer timer(loop_, time);
  co_await timer.async_wait(asio::use_awaitable);
}

asio::awaitable<Result<store::Written>> RunDispatcher::submit(Submission submission) {
  if (closing_) {
    co_return fail(ErrorCode::unavailable, "stopping",
                   "the daemon is ending its runs and takes no more; try again when it is back");
  }
  const RunId id = ids_.next();
  const std::vector<std::string> secrets = run::secret_values(submission.environment);
  run::Record record = run::first_record(submission.spec, id, clock_.wall_ms(), secrets);
  record.limits_by = means_of(record.limits, settings_.cgroups.controllers);
  // The folder first: a record whose spec is missing could never run; a folder without a record is
  // swept away.
  if (auto made = folders_.create(id, command_for(submission, record)); !made) {
    co_return std::unexpected(made.error());
  }
  crash_point("submit.spec_written");
  co_return co_await take_in(
      {.record = record, .key = submission.spec.key, .digest = submission.digest});
}

// Puts a run whose file is written on record; what becomes of it goes by what the record became.
asio::awaitable<Result<store::Written>> RunDispatcher::take_in(run::Submitted submitted) {
  const RunId id = submitted.record.id;
  ++submitting_;
  auto written = co_await spine_.record(std::move(submitted));
  --submitting_;
  crash_point("submit.recorded");
  if (!written && written.error().code == ErrorCode::unavailable) {
    // Perhaps it landed all the same: then it is a run like any other, and its caller gets it.
    auto stored = store_.find(id);
    if (!stored) co_return written;  // Nobody can tell now; the next start will.
    if (*stored) written = store::Written{run::Effect::changed, **stored, {}, false};
  }
  if (!written || written->replayed) folders_.discard(id);
  // The first one's, if this is a repetition: perhaps nobody could tell then that it was there.
  if (written) settle(written->record);
  co_return written;
}

static_assert(static_cast<int>(run::Stdin::pipe) == static_cast<int>(process::StdinMode::pipe) &&
              static_cast<int>(run::Stdin::pty) == static_cast<int>(process::StdinMode::pty));

process::Command RunDispatcher::command_for(const Submission& submission,
                                            const run::Record& record) const {
  const run::Spec& spec = submission.spec;
  process::Command command;
  command.argv = spec.command();
  command.environment = submission.environment;
  name_run(command, record.id, record.trace_id, record.retry.max > 0 ? record.attempt : 0);
  command.cwd = spec.cwd;
  command.stdin_mode = static_cast<process::StdinMode>(spec.stdin_mode);
  if (spec.stdin_mode == run::Stdin::pty) command.terminal = spec.terminal;
  command.umask = settings_.umask;
  command.timeout_ms = spec.timeout_ms;
  command.idle_timeout_ms = spec.idle_timeout_ms;
  command.grace_ms = spec.grace_ms;
  command.keeps_environment = run::may_come_again(record);
  command.limits = spec.limits;
  command.output_bytes_max =
      spec.limits.output_bytes != 0 ? spec.limits.output_bytes : limits::kOutputBytesMax;
  return command;
}

RunDispatcher::Flight& RunDispatcher::take_off(const run::Record& record) {
  Flight& flight = flights_[record.id];
  flight.program = record.command.empty() ? "" : record.command.front();
  flight.cwd = record.cwd;
  flight.attempt = record.attempt;
  flight.retries_left = std::max(0, record.retry.max - record.attempt + 1);
  return flight;
}

// The one place where the loop's view follows the record.
void RunDispatcher::settle(const run::Record& record) {
  lanes_.see(record);
  if (record.held && record.state == run::State::queued) return hold(record);
  if (record.waits_for_others()) waits_.forget(record.id);
  if (run::is_terminal(record.state)) {
    const auto flight = flights_.extract(record.id);
    const bool is_clean =
        flight && flight.mapped().kept_to_the_end && flight.mapped().retries_left == 0;
    if (!is_clean) folders_.forget_environment(record.id);
    all_landed_.cancel();
    let_go(record);
    claim_next();
  } else if (record.state == run::State::starting && !flights_.contains(record.id)) {
    take_off(record);
    launcher_.launch(record.id);
  }
}

void RunDispatcher::settle_as_stored(const RunId& id) {
  if (const auto record = store_.find(id); record && *record) settle(**record);
}

void RunDispatcher::claim_next() {
  if (closing_ || recovering_) return;
  for (const RunId& id : lanes_.pick()) {
    spine_.record(run::Claimed{id}, [this, id](Result<store::Written> claimed) {
      crash_point("claim.recorded");
      if (claimed) return settle(claimed->record);
      // Canceled meanwhile, or the lane has shrunk: what the record says now decides.
      lanes_.unpick(id);
      settle_as_stored(id);
      if (claimed.error().code == ErrorCode::unavailable) spawn(claim_later());
    });
  }
}

asio::awaitable<void> RunDispatcher::claim_later() {
  co_await pause(kWriteAgain);
  claim_next();
}

void RunDispatcher::on_report(const RunId& id, const process::Report& report) {
  const auto it = flights_.find(id);
  if (it == flights_.end()) return;  // It ended by another way: canceled before it was begun.
  Flight& flight = it->second;
  switch (report.header.kind) {
    case process::ReportKind::started:
      flight.started = true;
      crash_point("start.reported");
      return record_start(id, report.started.wall_ms);
    case process::ReportKind::ended: {
      run::Ended ended =
          ended_from(id, report.ended.ending, flight.program, flight.cwd, report.ended.usage);
      ended.started_at = report.ended.started_wall_ms;
      flight.kept_to_the_end = true;
      crash_point("end.reported");
      return spawn(record_end(std::move(ended)));
    }
    case process::ReportKind::refused:
      return spawn(record_end(run::Ended{
          .id = id,
          .ending = run::NotLaunched{report.failure.step, report.failure.error_number, {}}}));
    case process::ReportKind::occupied:
    case process::ReportKind::lost:
      return look_again(id);
  }
}

// Somebody else had the folder, or its keeper is gone: the journal knows.
void RunDispatcher::look_again(const RunId& id) {
  const auto flight = flights_.find(id);
  if (flight == flights_.end()) return;
  auto record = store_.find(id);
  if (!record) return spawn(look_later(id));
  if (!*record) return;
  // We are here: only a keeper or a cradle went.
  if (!flight->second.inherited) (*record)->on_restart = run::OnRestart::requeue;
  spawn(restore(**record));
}

asio::awaitable<void> RunDispatcher::look_later(RunId id) {
  co_await pause(kWriteAgain);
  look_again(id);
}

// Nobody waits for this commit: the journal is evidence enough.
void RunDispatcher::record_start(const RunId& id, WallMs at) {
  spine_.record(run::Started{.id = id, .at = at}, [this, id, at](Result<store::Written> written) {
    crash_point("start.recorded");
    if (written) return settle(written->record);
    if (written.error().code == ErrorCode::unavailable) spawn(record_start_later(id, at));
  });
}

asio::awaitable<void> RunDispatcher::record_start_later(RunId id, WallMs at) {
  co_await pause(kWriteAgain);
  if (flights_.contains(id)) record_start(id, at);
}

asio::awaitable<void> RunDispatcher::record_end(run::Ended ended) {
  const RunId id = ended.id;
  // A disk that is full now may have room soon; an end is not kept back for longer than that.
  for (int tries = 0; !prepare_next(ended) && tries < kPrepareTries; ++tries) {
    co_await pause(kWriteAgain);
  }
  while (true) {
    auto written = co_await spine_.record(ended);
    crash_point("end.recorded");
    if (written) {
      const run::Record& record = written->record;
      if (record.reason == run::Reason::launch_failed || record.state == run::State::abandoned) {
        log::warn({id, record.trace_id}, "{}: {}", run::name(*record.reason), record.message);
      }
      settle(record);
      if (ended.next) settle_next(*ended.next);
      co_return;
    }
    const ErrorCode refusal = written.error().code;
    if (refusal == ErrorCode::conflict || refusal == ErrorCode::not_found) {
      // Its end was recorded before, perhaps by us; an end is final (H7).
      log::warn(id, "{}", written.error().message);
      flights_.erase(id);
      settle_as_stored(id);
      if (ended.next) settle_next(*ended.next);
      co_return;
    }
    log::error(id, "its end cannot be recorded yet: {}", written.error().message);
    co_await pause(kWriteAgain);
  }
}

}  // namespace drover::dispatch
