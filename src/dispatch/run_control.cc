// How the RunDispatcher steers runs that are under way: cancel, signal, input, removal, lanes.
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <optional>

#include "base/crash_point.h"
#include "dispatch/run_dispatcher.h"
#include "log/log.h"
#include "run/kind.h"

namespace drover::dispatch {
namespace {

constexpr std::chrono::milliseconds kInputAgain{10};
constexpr int kInputTries = 100;  // A second for a command to read some; then its sender decides.
constexpr std::chrono::seconds kEndAgain{1};
constexpr int kCompositeTries = 10;

}  // namespace

asio::awaitable<Result<store::Written>> RunDispatcher::note(run::Fact fact) {
  auto written = co_await spine_.record(std::move(fact));
  if (written) settle(written->record);
  co_return written;
}

asio::awaitable<Result<>> RunDispatcher::add_project(store::Project project) {
  auto written = co_await spine_.record(store::ProjectAdded{std::move(project)});
  if (!written) co_return std::unexpected(written.error());
  co_return Result<>{};
}

asio::awaitable<Result<>> RunDispatcher::remove_project(std::string id) {
  auto written = co_await spine_.record(store::ProjectRemoved{std::move(id)});
  if (!written) co_return std::unexpected(written.error());
  co_return Result<>{};
}

asio::awaitable<Result<CancelOutcome>> RunDispatcher::cancel(RunId id,
                                                             std::optional<std::int64_t> grace_ms) {
  co_return co_await cancel_any({.id = id}, grace_ms);
}

asio::awaitable<Result<CancelOutcome>> RunDispatcher::cancel_any(
    run::CancelRequested wish, std::optional<std::int64_t> grace_ms) {
  RunId& id = wish.id;
  for (bool followed = false;; followed = true) {
    // The intent goes on record before anything is done about it (R4).
    auto written = co_await spine_.record(wish);
    if (!written && written.error().reason == "not_cancellable") {
      co_return CancelOutcome::not_cancellable;
    }
    if (!written && followed && written.error().code == ErrorCode::not_found) {
      // Removed, and perhaps not the last attempt: its end says what came after it.
      const auto standing = standing_of(id);
      const auto next = RunId::parse(standing ? standing->retried_by : "");
      if (!next) co_return CancelOutcome::already_finished;
      id = *next;
      continue;
    }
    if (!written) co_return std::unexpected(written.error());
    crash_point("cancel.recorded");
    const run::Record& record = written->record;
    if (!run::is_terminal(record.state)) {
      if (run::ends_at_once(record.kind)) grace_ms = 0;
      spawn(stop_flight(id, grace_ms.value_or(record.grace_ms)));
      co_return CancelOutcome::cancel_requested;
    }
    settle(record);
    if (written->effect == run::Effect::changed) co_return CancelOutcome::canceled;
    // It had ended, and comes again: the attempt that follows is what is to be ended (R17).
    const auto next = RunId::parse(record.retried_by);
    if (!next) co_return CancelOutcome::already_finished;
    id = *next;
  }
}

asio::awaitable<void> RunDispatcher::stop_flight(RunId id, std::int64_t grace_ms) {
  const auto flight = flights_.find(id);
  if (flight != flights_.end() && !flight->second.started) {
    // Asked for, perhaps not begun: if no keeper has the file, none will ever have it (R6).
    const auto forbidden = forbid_launch(home_.run_file(id));
    if (forbidden && *forbidden) {
      crash_point("cancel.forbidden");
      co_await record_end(run::Ended{.id = id, .ending = run::NeverStarted{}});
      co_return;
    }
  }
  // An intent on record is carried out, however long its keeper cannot be reached.
  while (flights_.contains(id) && !co_await ask_to_stop(id, grace_ms)) co_await pause(kWriteAgain);
}

// Whether its keeper has heard of it, or is gone.
asio::awaitable<bool> RunDispatcher::ask_to_stop(RunId id, std::int64_t grace_ms) {
  const auto told = co_await tell(id, process::ControlOp::stop, grace_ms);
  crash_point("cancel.told");
  if (told && *told != ETIMEDOUT) co_return true;
  // Its socket cannot be reached; the keeper itself can. It takes TERM for a stop.
  const auto probe = probe_journal(home_.run_file(id));
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

asio::awaitable<Result<int>> RunDispatcher::tell(RunId id, process::ControlOp op,
                                                 std::int64_t argument, std::string payload) {
  co_return co_await line_.tell(id, op, argument, std::move(payload),
                                [this, id] { return flights_.contains(id); });
}

Result<> RunDispatcher::check_running(const RunId& id) {
  auto record = store_.find(id);
  if (!record) return std::unexpected(record.error());
  if (!*record) {
    return fail(ErrorCode::not_found, "not_found", "there is no such run", "run_id");
  }
  if ((*record)->state == run::State::queued || run::is_terminal((*record)->state)) {
    return fail(ErrorCode::conflict, "not_running",
                id.str() + " is " + std::string(name((*record)->state)) + ", not running",
                "run_id");
  }
  if (run::is_composite((*record)->kind)) {
    return fail(ErrorCode::conflict, "no_process",
                id.str() + " is a play, and no process; name one of its runs, `drover show " +
                    id.str() + "` lists them",
                "run_id");
  }
  return {};
}

asio::awaitable<Result<>> RunDispatcher::signal(RunId id, int number) {
  if (auto ok = check_running(id); !ok) co_return ok;
  auto told = co_await tell(id, process::ControlOp::signal, number);
  if (!told) co_return std::unexpected(told.error());
  if (*told == ESRCH) {
    co_return fail(ErrorCode::conflict, "not_running", id.str() + " has just ended", "run_id");
  }
  if (*told != 0) co_return fail_errno("the signal could not be sent", *told);
  co_return Result<>{};
}

asio::awaitable<Result<>> RunDispatcher::resize(RunId id, TerminalSize size) {
  if (auto ok = check_running(id); !ok) co_return ok;
  auto told = co_await tell(id, process::ControlOp::resize, process::pack(size));
  if (!told) co_return std::unexpected(told.error());
  if (*told == ENOTTY) {
    co_return fail(ErrorCode::conflict, "no_terminal",
                   id.str() + " has no terminal; start it with pty", "run_id");
  }
  if (*told == ESRCH) {
    co_return fail(ErrorCode::conflict, "not_running", id.str() + " has just ended", "run_id");
  }
  if (*told != 0) co_return fail_errno("the terminal could not be resized", *told);
  co_return Result<>{};
}

asio::awaitable<Result<size_t>> RunDispatcher::send_input(RunId id, Typed typed) {
  const std::string& bytes = typed.bytes;
  if (auto ok = check_running(id); !ok) co_return std::unexpected(ok.error());
  const auto answer_to = [&](int number) -> Result<size_t> {
    if (number == ETIMEDOUT) {
      return fail(ErrorCode::unavailable, "keeper_unreachable",
                  "the keeper of " + id.str() + " does not answer; try again", "run_id");
    }
    return fail(ErrorCode::conflict, "no_stdin",
                id.str() + " reads no input (any more); start it with stdin: pipe, or with pty",
                "run_id");
  };
  const std::int64_t size = typed.at ? process::pack(*typed.at) : 0;
  size_t taken = 0;
  for (int tries = 0; taken < bytes.size() && tries < kInputTries;) {
    const std::string piece = bytes.substr(taken, process::kControlPayloadMax);
    auto told = co_await tell(id, process::ControlOp::input, size, piece);
    if (!told) co_return std::unexpected(told.error());
    if (*told == 0) {
      taken += piece.size();
    } else if (*told == EAGAIN) {
      ++tries;
      co_await pause(kInputAgain);
    } else {
      co_return answer_to(*told);
    }
  }
  if (typed.eof && taken == bytes.size()) {
    auto told = co_await tell(id, process::ControlOp::input_end, 0);
    // Who has read all of it and gone needs no end of it any more.
    const bool is_over = told ? *told != ETIMEDOUT : !flights_.contains(id);
    if (taken > 0 && is_over) co_return taken;
    if (!told) co_return std::unexpected(told.error());
    if (*told != 0) co_return answer_to(*told);
  }
  co_return taken;
}

asio::awaitable<Result<>> RunDispatcher::remove(RunId id) {
  auto record = store_.find(id);
  if (!record) co_return std::unexpected(record.error());
  if (*record) {
    // Refused here, not by the spine: it could end on the way there, be deleted after all, and
    // leave behind the folder that nobody had moved away.
    const auto allowed = run::apply(&**record, run::Deleted{id}, {});
    if (!allowed) co_return std::unexpected(allowed.error());
    if (auto moved = folders_.move_to_trash(id); !moved) co_return moved;
  }
  crash_point("delete.in_trash");
  auto written = co_await spine_.record(run::Deleted{id});
  if (!written) {
    const auto still = store_.find(id);  // `unavailable` does not say whether it landed.
    if (still && *still) folders_.bring_back(id);
    co_return std::unexpected(written.error());
  }
  crash_point("delete.recorded");
  folders_.empty_trash(id);
  co_return Result<>{};
}

asio::awaitable<void> RunDispatcher::end_all() {
  closing_ = true;
  for (int idle = 0; idle < kCompositeTries;) {
    auto active = store_.list({.active_only = true, .limit = limits::kQueuedMax});
    if (active && active->empty() && flights_.empty() && submitting_ == 0) co_return;
    bool alone = active && flights_.empty() && submitting_ == 0;
    if (active) {
      for (const run::Record& record : *active) {
        if (run::is_composite(record.kind)) continue;  // It ends with its children.
        alone = false;
        if (record.cancel_requested) continue;
        (void)co_await cancel_any({.id = record.id, .of_any_kind = true}, std::nullopt);
      }
    }
    // One that nobody directs would never end; nothing of it is alive, and the next daemon looks.
    idle = alone ? idle + 1 : 0;
    // Until one has ended; looked at again before long, should a cancel have failed.
    all_landed_.expires_after(kEndAgain);
    boost::system::error_code woken;
    co_await all_landed_.async_wait(asio::redirect_error(asio::use_awaitable, woken));
  }
}

}  // namespace drover::dispatch
