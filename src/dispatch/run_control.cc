// How the RunDispatcher steers runs that are under way: cancel, signal, input, removal, lanes.
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <chrono>

#include "dispatch/run_dispatcher.h"

namespace drover::dispatch {
namespace {

constexpr std::chrono::milliseconds kInputAgain{10};
constexpr int kInputTries = 500;  // Five seconds for a command to read some of what it was sent.

}  // namespace

asio::awaitable<Result<CancelOutcome>> RunDispatcher::cancel(RunId id,
                                                             std::optional<std::int64_t> grace_ms) {
  // The intent goes on record before anything is done about it (R4).
  auto written = co_await spine_.record(run::CancelRequested{id});
  if (!written) co_return std::unexpected(written.error());
  const run::Record& record = written->record;
  if (run::is_terminal(record.state)) {
    settle(record);
    co_return written->effect == run::Effect::changed ? CancelOutcome::canceled
                                                      : CancelOutcome::already_finished;
  }
  spawn(stop_flight(id, grace_ms.value_or(record.grace_ms)));
  co_return CancelOutcome::cancel_requested;
}

asio::awaitable<void> RunDispatcher::stop_flight(RunId id, std::int64_t grace_ms) {
  const auto flight = flights_.find(id);
  if (flight != flights_.end() && !flight->second.started) {
    // Asked for, perhaps not begun: if no keeper has the folder, none will ever have it (R6).
    const auto forbidden = forbid_launch(home_.run_folder(id));
    if (forbidden && *forbidden) {
      co_await record_end(run::Ended{.id = id, .ending = run::NeverStarted{}});
      co_return;
    }
  }
  (void)co_await tell(id, process::ControlOp::stop, grace_ms);
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

asio::awaitable<Result<>> RunDispatcher::send_input(RunId id, std::string bytes, bool eof) {
  if (auto ok = check_running(id); !ok) co_return ok;
  for (size_t at = 0; at < bytes.size();) {
    const std::string piece = bytes.substr(at, process::kControlPayloadMax);
    int answer = EAGAIN;
    for (int i = 0; answer == EAGAIN && i < kInputTries; ++i) {
      auto told = co_await tell(id, process::ControlOp::input, 0, piece);
      if (!told) co_return std::unexpected(told.error());
      answer = *told;
      if (answer != EAGAIN) break;
      asio::steady_timer timer(loop_, kInputAgain);
      co_await timer.async_wait(asio::use_awaitable);
    }
    if (answer == EAGAIN) {
      co_return fail(
          ErrorCode::unavailable, "input_full",
          "the command does not read its input; " + std::to_string(at) + " bytes were taken",
          "body");
    }
    if (answer != 0) {
      co_return fail(ErrorCode::conflict, "no_stdin",
                     id.str() + " reads no input (any more); start it with stdin: pipe", "run_id");
    }
    at += piece.size();
  }
  if (eof) {
    auto told = co_await tell(id, process::ControlOp::input_end, 0);
    if (!told) co_return std::unexpected(told.error());
  }
  co_return Result<>{};
}

asio::awaitable<Result<>> RunDispatcher::remove(RunId id, bool pruned) {
  auto record = store_.find(id);
  if (!record) co_return std::unexpected(record.error());
  const bool ended = *record && run::is_terminal((*record)->state);
  if (ended) {
    if (auto moved = folders_.move_to_trash(id); !moved) co_return moved;
  }
  auto written = co_await spine_.record(run::Deleted{.id = id, .pruned = pruned});
  if (!written) {
    const auto still = store_.find(id);  // `unavailable` does not say whether it landed.
    if (ended && still && *still) folders_.bring_back(id);
    co_return std::unexpected(written.error());
  }
  folders_.empty_trash(id);
  co_return Result<>{};
}

asio::awaitable<Result<store::Lane>> RunDispatcher::set_lane(std::string lane, std::int64_t limit) {
  auto written = co_await spine_.record(store::LaneSet{lane, limit});
  if (!written) co_return std::unexpected(written.error());
  lanes_.set_limit(lane, limit);
  claim_next();
  auto all = store_.lanes();
  if (!all) co_return std::unexpected(all.error());
  for (store::Lane& known : *all) {
    if (known.name == lane) co_return std::move(known);
  }
  co_return store::Lane{.name = lane, .limit = limit};
}

asio::awaitable<void> RunDispatcher::end_all() {
  auto active = store_.list({.active_only = true, .limit = limits::kQueuedMax});
  if (active) {
    for (const run::Record& record : *active) (void)co_await cancel(record.id, std::nullopt);
  }
  while (!flights_.empty()) {
    boost::system::error_code woken;
    co_await all_landed_.async_wait(asio::redirect_error(asio::use_awaitable, woken));
  }
}

}  // namespace drover::dispatch
