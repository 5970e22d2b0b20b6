#include "dispatch/ending/cancels.h"

#include <algorithm>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <csignal>
#include <utility>

#include "base/crash_point.h"
#include "base/journal.h"
#include "base/limits.h"
#include "log/log.h"
#include "process/pid_ref.h"
#include "run/kind.h"
#include "store/stored_run.h"

namespace drover::dispatch {
namespace {

using std::chrono::steady_clock;

constexpr int kTries = 20;  // Ten seconds for a commit of unknown fate.
// After the grace a keeper kills, waits, and reads the rest of the output. If it takes longer than
// this, it does not react any more.
constexpr std::chrono::milliseconds kRecordWait{limits::kCancelRecordMs};
constexpr std::chrono::milliseconds kKeeperNeeds{limits::kKillWaitMs + limits::kDrainMs + 2'000};

}  // namespace

std::string_view name(CancelOutcome outcome) {
  switch (outcome) {
    case CancelOutcome::canceled:
      return "canceled";
    case CancelOutcome::cancel_requested:
    case CancelOutcome::cancel_repeated:
      return "cancel_requested";
    case CancelOutcome::already_finished:
      return "already_finished";
    case CancelOutcome::not_cancellable:
      return "not_cancellable";
  }
  std::unreachable();
}

// A write that the store may answer late.
struct Cancels::Recording {
  explicit Recording(const asio::any_io_executor& loop) : answered(loop) {}

  // False: there is no answer yet.
  asio::awaitable<bool> wait_until(steady_clock::time_point deadline) {
    if (!answer) {
      answered.expires_at(deadline);
      boost::system::error_code ignored;
      co_await answered.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    }
    co_return answer.has_value();
  }

  asio::steady_timer answered;
  std::optional<Result<store::Written>> answer = {};
};

std::shared_ptr<Cancels::Recording> Cancels::begin_recording(const run::CancelRequested& wish) {
  auto recording = std::make_shared<Recording>(host_.loop);
  host_.spine.record(wish, [recording](Result<store::Written> answer) {
    recording->answer.emplace(std::move(answer));
    recording->answered.cancel();
  });
  return recording;
}

asio::awaitable<Result<CancelOutcome>> Cancels::cancel(run::CancelRequested wish,
                                                       std::optional<std::int64_t> grace_ms) {
  RunId& id = wish.id;
  for (bool followed = false;; followed = true) {
    const auto recording = begin_recording(wish);
    if (!co_await recording->wait_until(steady_clock::now() + kRecordWait)) {
      if (const auto outcome = co_await act_first(wish, grace_ms)) co_return *outcome;
      while (!co_await recording->wait_until(steady_clock::time_point::max())) continue;
    }
    auto written = std::move(*recording->answer);
    // The cancel may be recorded without being carried out: repeat it, and the answer tells.
    for (int tries = 0; !written && written.error().reason == "commit_unknown" && tries < kTries;
         ++tries) {
      co_await host_.pause(kWriteAgain);
      written = co_await host_.spine.record(wish);
    }
    if (!written && written.error().reason == "not_cancellable") {
      co_return CancelOutcome::not_cancellable;
    }
    if (!written && followed && written.error().code == ErrorCode::not_found) {
      // Deleted, but perhaps not the last attempt: its evidence names the next one.
      const auto status = co_await host_.reads.ask(
          store::daemon_itself(),
          [id](store::Reads& store) { return store::dependency_status(store, id); });
      const auto next = RunId::parse(status ? status->retried_by : "");
      if (!next) co_return CancelOutcome::already_finished;
      id = *next;
      continue;
    }
    if (!written && written.error().code == ErrorCode::unavailable) {
      if (const auto outcome = co_await act_first(wish, grace_ms)) co_return *outcome;
    }
    if (!written) co_return std::unexpected(written.error());
    const run::Record& record = written->record;
    if (!run::is_finished(record.state)) {
      const run::Kind* kind = host_.kinds.find(record.kind);
      if (kind != nullptr && kind->grace_ms) grace_ms = kind->grace_ms;
      host_.spawn(stop(id, grace_ms.value_or(record.grace_ms)));
      co_return written->effect == run::Effect::none ? CancelOutcome::cancel_repeated
                                                     : CancelOutcome::cancel_requested;
    }
    if (written->effect == run::Effect::changed) co_return CancelOutcome::canceled;
    // It had finished and was retried: the next attempt is the one to cancel (R17).
    const auto next = RunId::parse(record.retried_by);
    if (!next) co_return CancelOutcome::already_finished;
    id = *next;
  }
}

asio::awaitable<void> Cancels::stop(RunId id, std::int64_t grace_ms) {
  const Flight* flight = flights_.find(id);
  if (flight != nullptr && !flight->started) {
    // Requested but perhaps not started: if no keeper has claimed the file, none may any more (R6).
    const auto forbidden = forbid_launch(host_.home.run_file(id));
    if (forbidden && *forbidden) {
      crash_point("cancel.forbidden");
      co_await reports_.record_end(run::Ended{.id = id, .ending = run::NeverStarted{}});
      co_return;
    }
  }
  const auto patience = std::chrono::milliseconds(grace_ms) + kKeeperNeeds;
  const auto [known, is_first] = stopping_.try_emplace(id, steady_clock::now() + patience);
  if (!is_first) {  // Another call asks until the end; this one may only make it sooner.
    known->second = std::min(known->second, steady_clock::now() + patience);
    (void)co_await ask_to_stop(id, grace_ms);
    co_return;
  }
  for (int round = 1; flights_.contains(id);) {
    const bool asked = co_await ask_to_stop(id, grace_ms);
    if (!asked && steady_clock::now() < stopping_[id]) {
      co_await host_.pause(kWriteAgain);
      continue;
    }
    if (asked) co_await wait_for_end(id);
    if (!flights_.contains(id)) break;
    insist(id, round++);
    stopping_[id] = steady_clock::now() + kKeeperNeeds;
  }
  stopping_.erase(id);
}

asio::awaitable<bool> Cancels::is_unfinished(RunId id) const {
  if (flights_.contains(id)) co_return true;
  const auto record = co_await host_.reads.find(id);
  co_return record && *record&& host_.kinds.is_composite((*record)->kind) &&
      run::is_active((*record)->state);
}

// Stops the running children of a composite that finish with it. False: it has none.
bool Cancels::act_on_children(const RunId& composite, std::optional<std::int64_t> grace_ms) {
  bool acted = false;
  for (const RunId& id : flights_.ids()) {
    const Flight* child = flights_.find(id);
    if (child == nullptr || !child->has_slot || child->parent_run_id != composite.view()) continue;
    const run::Kind* kind = host_.kinds.find(child->kind);
    if (kind == nullptr || !kind->ends_with_parent) continue;
    acted |= act_on({.id = id, .of_any_kind = true}, child->kind, {grace_ms, child->grace_ms})
                 .has_value();
  }
  return acted;
}

// The store cannot write now. A running command is stopped all the same: its keeper records that it
// was canceled. Nothing: that is not possible for this run. The flight of a running
// command is in memory: a disk that hangs may not answer a read either.
asio::awaitable<std::optional<CancelOutcome>> Cancels::act_first(
    run::CancelRequested wish, std::optional<std::int64_t> grace_ms) {
  if (wish.only_queued) co_return std::nullopt;
  const Flight* flight = flights_.find(wish.id);
  if (flight != nullptr && flight->has_slot) {
    co_return act_on(wish, flight->kind, {grace_ms, flight->grace_ms});
  }
  const auto record = co_await host_.reads.find(wish.id);
  if (!record || !*record || !run::is_active((*record)->state)) co_return std::nullopt;
  const run::Kind* kind = host_.kinds.find((*record)->kind);
  if (kind == nullptr) co_return std::nullopt;
  if (!kind->composite) {
    if (!flights_.contains(wish.id) || (*record)->state == run::State::queued) {
      co_return std::nullopt;
    }
    co_return act_on(wish, (*record)->kind, {grace_ms, (*record)->grace_ms});
  }
  if (!kind->not_cancellable.empty() && !wish.of_any_kind) {
    co_return CancelOutcome::not_cancellable;
  }
  if (kind->grace_ms) grace_ms = kind->grace_ms;
  if (!act_on_children(wish.id, grace_ms)) co_return std::nullopt;
  host_.spawn(record_later(wish));
  co_return CancelOutcome::cancel_requested;
}

std::optional<CancelOutcome> Cancels::act_on(const run::CancelRequested& wish,
                                             const std::string& kind_name, Grace grace) {
  const run::Kind* kind = host_.kinds.find(kind_name);
  if (kind == nullptr) return {};
  if (!kind->not_cancellable.empty() && !wish.of_any_kind) return CancelOutcome::not_cancellable;
  if (kind->grace_ms) grace.wished_ms = kind->grace_ms;
  const std::int64_t grace_ms = grace.wished_ms.value_or(grace.own_ms);
  const auto noted = write_cancel(host_.home.run_file(wish.id),
                                  {.wall_ms = host_.clock.wall_ms(), .grace_ms = grace_ms});
  log::warn(wish.id, "cannot record the cancel yet; {}",
            noted ? "noted it in the run's file and stopping the run" : "stopping the run");
  host_.spawn(stop(wish.id, grace_ms));
  host_.spawn(record_later(wish));
  return CancelOutcome::cancel_requested;
}

asio::awaitable<void> Cancels::record_later(run::CancelRequested wish) {
  while (co_await is_unfinished(wish.id)) {
    const auto written = co_await host_.spine.record(wish);
    if (written || written.error().code != ErrorCode::unavailable) co_return;
    co_await host_.pause(kWriteAgain);
  }
}

// The deadline may be moved up meanwhile.
asio::awaitable<void> Cancels::wait_for_end(RunId id) {
  constexpr std::chrono::seconds kNap{1};
  while (flights_.contains(id) && steady_clock::now() < stopping_[id]) {
    co_await flights_.wait_for_removal(kNap);
  }
}

// The keeper had all the time it needs. Either it has finished and its report was lost: then its
// journal is read. Or it does not react any more: then it is killed, and its cradle kills the
// processes of the run.
void Cancels::insist(const RunId& id, int round) {
  const Flight* flight = flights_.find(id);
  if (flight == nullptr || flight->kept_to_the_end) return;  // Only its record is missing.
  const auto journal = read_journal_state(host_.home.run_file(id));
  if (!journal) return;
  if (journal->liveness != Liveness::alive) {
    log::warn(id, "the keeper has exited without a report; reading its journal");
    if (look_again_) look_again_(id);
    return;
  }
  if (round < 2 || !journal->text.identity) return;  // First, ask again.
  ProcessRef keeper = journal->text.identity->keeper;
  // It holds the lock of this run, so the pid is its own, also if it could not record its start.
  if (keeper.start_ticks == 0) keeper = process::ref_of(keeper.pid);
  process::send_signal(keeper, SIGSTOP);  // So that it cannot finish and take another run.
  const auto still = read_journal_state(host_.home.run_file(id));
  const bool is_deaf = still && still->liveness == Liveness::alive;
  if (is_deaf) log::error(id, "the keeper does not stop its command; killing the keeper");
  process::send_signal(keeper, is_deaf ? SIGKILL : SIGCONT);
}

// True if its keeper has received the request, or is gone.
asio::awaitable<bool> Cancels::ask_to_stop(RunId id, std::int64_t grace_ms) {
  const auto answer = co_await line_.send(id, process::ControlOp::stop, grace_ms, {},
                                          [this, id] { return flights_.contains(id); });
  crash_point("cancel.told");
  if (answer && *answer != ETIMEDOUT) co_return true;
  // Its socket cannot be reached, but the keeper itself can. It treats TERM as a stop.
  const auto journal = read_journal_state(host_.home.run_file(id));
  if (!journal || !journal->text.identity) co_return false;
  const ProcessRef keeper = journal->text.identity->keeper;
  if (process::send_signal(keeper, SIGTERM)) {
    process::send_signal(keeper, SIGCONT);  // It may be suspended.
    log::warn(id, "the keeper does not answer on its socket; sent it SIGTERM instead");
    co_return true;
  }
  if (journal->liveness != Liveness::alive) co_return true;
  // It was suspended in its first milliseconds, before it recorded its start time. Once continued,
  // it will sign and listen, unless its command exits; a TERM could then hit the keeper of another
  // run.
  if (keeper.start_ticks == 0) process::send_signal(process::ref_of(keeper.pid), SIGCONT);
  log::warn(id, "the keeper does not answer and cannot be signaled; trying again");
  co_return false;
}

}  // namespace drover::dispatch
