#include "dispatch/ending/cancels.h"

#include <cerrno>
#include <csignal>
#include <utility>

#include "base/crash_point.h"
#include "base/journal.h"
#include "log/log.h"
#include "process/pid_ref.h"
#include "run/kind.h"
#include "store/evidence.h"

namespace drover::dispatch {
namespace {

constexpr int kTries = 20;  // Ten seconds for a commit of unknown fate.

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

asio::awaitable<Result<CancelOutcome>> Cancels::cancel(run::CancelRequested wish,
                                                       std::optional<std::int64_t> grace_ms) {
  RunId& id = wish.id;
  for (bool followed = false;; followed = true) {
    auto written = co_await host_.spine.record(wish);
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
      const auto status = store::dependency_status(host_.store, id);
      const auto next = RunId::parse(status ? status->retried_by : "");
      if (!next) co_return CancelOutcome::already_finished;
      id = *next;
      continue;
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
  // A recorded cancel is carried out, however long its keeper cannot be reached.
  while (flights_.contains(id) && !co_await ask_to_stop(id, grace_ms)) {
    co_await host_.pause(kWriteAgain);
  }
}

// True if its keeper has received the request, or is gone.
asio::awaitable<bool> Cancels::ask_to_stop(RunId id, std::int64_t grace_ms) {
  const auto answer = co_await line_.send(id, process::ControlOp::stop, grace_ms, {},
                                          [this, id] { return flights_.contains(id); });
  crash_point("cancel.told");
  if (answer && *answer != ETIMEDOUT) co_return true;
  // Its socket cannot be reached, but the keeper itself can. It treats TERM as a stop.
  const auto probe = probe_journal(host_.home.run_file(id));
  if (!probe || !probe->text.identity) co_return false;
  const ProcessRef keeper = probe->text.identity->keeper;
  if (process::send_signal(keeper, SIGTERM)) {
    process::send_signal(keeper, SIGCONT);  // It may be suspended.
    log::warn(id, "the keeper does not answer on its socket; sent it SIGTERM instead");
    co_return true;
  }
  if (probe->liveness != Liveness::alive) co_return true;
  // It was suspended in its first milliseconds, before it recorded its start time. Once continued,
  // it will sign and listen, unless its command exits; a TERM could then hit the keeper of another
  // run.
  if (keeper.start_ticks == 0) process::send_signal(process::ref_of(keeper.pid), SIGCONT);
  log::warn(id, "the keeper does not answer and cannot be signaled; trying again");
  co_return false;
}

}  // namespace drover::dispatch
