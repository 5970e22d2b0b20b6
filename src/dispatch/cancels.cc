#include "dispatch/cancels.h"

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

constexpr int kTries = 20;  // Ten seconds for a store that cannot tell.

}  // namespace

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

asio::awaitable<Result<CancelOutcome>> Cancels::cancel(run::CancelRequested wish,
                                                       std::optional<std::int64_t> grace_ms) {
  RunId& id = wish.id;
  for (bool followed = false;; followed = true) {
    auto written = co_await host_.spine.record(wish);
    // Perhaps it is on record, and nobody carries it out: the answer to the same again tells.
    for (int tries = 0; !written && written.error().reason == "commit_unknown" && tries < kTries;
         ++tries) {
      co_await host_.pause(kWriteAgain);
      written = co_await host_.spine.record(wish);
    }
    if (!written && written.error().reason == "not_cancellable") {
      co_return CancelOutcome::not_cancellable;
    }
    if (!written && followed && written.error().code == ErrorCode::not_found) {
      // Removed, and perhaps not the last attempt: its end says what came after it.
      const auto standing = store::dependency_status(host_.store, id);
      const auto next = RunId::parse(standing ? standing->retried_by : "");
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
      co_return CancelOutcome::cancel_requested;
    }
    if (written->effect == run::Effect::changed) co_return CancelOutcome::canceled;
    // It had ended, and comes again: the attempt that follows is what is to be ended (R17).
    const auto next = RunId::parse(record.retried_by);
    if (!next) co_return CancelOutcome::already_finished;
    id = *next;
  }
}

asio::awaitable<void> Cancels::stop(RunId id, std::int64_t grace_ms) {
  const Flight* flight = flights_.find(id);
  if (flight != nullptr && !flight->started) {
    // Asked for, perhaps not begun: if no keeper has the file, none will ever have it (R6).
    const auto forbidden = forbid_launch(host_.home.run_file(id));
    if (forbidden && *forbidden) {
      crash_point("cancel.forbidden");
      co_await reports_.record_end(run::Ended{.id = id, .ending = run::NeverStarted{}});
      co_return;
    }
  }
  // An intent on record is carried out, however long its keeper cannot be reached.
  while (flights_.contains(id) && !co_await ask_to_stop(id, grace_ms)) {
    co_await host_.pause(kWriteAgain);
  }
}

// Whether its keeper has heard of it, or is gone.
asio::awaitable<bool> Cancels::ask_to_stop(RunId id, std::int64_t grace_ms) {
  const auto told = co_await line_.tell(id, process::ControlOp::stop, grace_ms, {},
                                        [this, id] { return flights_.contains(id); });
  crash_point("cancel.told");
  if (told && *told != ETIMEDOUT) co_return true;
  // Its socket cannot be reached; the keeper itself can. It takes TERM for a stop.
  const auto probe = probe_journal(host_.home.run_file(id));
  if (!probe || !probe->text.identity) co_return false;
  const ProcessRef keeper = probe->text.identity->keeper;
  if (process::send_signal(keeper, SIGTERM)) {
    process::send_signal(keeper, SIGCONT);  // It may have been stopped.
    log::warn(id, "its keeper does not answer on its socket; asked it by signal");
    co_return true;
  }
  if (probe->liveness != Liveness::alive) co_return true;
  // Stopped in its first milliseconds, before it knew its full name. Woken, it will sign and
  // listen, unless its command ends; and then a TERM would be for the keeper of another run.
  if (keeper.start_ticks == 0) process::send_signal(process::ref_of(keeper.pid), SIGCONT);
  log::warn(id, "its keeper does not answer, and cannot be signalled; trying again");
  co_return false;
}

}  // namespace drover::dispatch
