#include "dispatch/control.h"

#include <cerrno>
#include <chrono>

#include "run/transition.h"

namespace drover::dispatch {
namespace {

constexpr std::chrono::milliseconds kInputAgain{10};
// One second for the command to read some; then the sender decides.
constexpr int kInputTries = 100;

}  // namespace

asio::awaitable<Result<int>> Control::send(RunId id, process::ControlOp op, std::int64_t argument,
                                           std::string payload) {
  co_return co_await line_.send(id, op, argument, std::move(payload),
                                [this, id] { return flights_.contains(id); });
}

asio::awaitable<Result<>> Control::check_running(RunId id) {
  const auto record = co_await host_.reads.find(id);
  if (!record) co_return std::unexpected(record.error());
  if (!*record) {
    co_return fail(ErrorCode::not_found, "not_found", "there is no such run", "run_id");
  }
  if ((*record)->state == run::State::queued || run::is_finished((*record)->state)) {
    co_return fail(ErrorCode::conflict, "not_running",
                   id.str() + " is " + std::string(name((*record)->state)) + ", not running",
                   "run_id");
  }
  if (!host_.kinds.knows((*record)->kind)) co_return run::unknown_kind(**record);
  if (host_.kinds.is_composite((*record)->kind)) {
    co_return fail(ErrorCode::conflict, "no_process",
                   id.str() + " is a " + (*record)->kind +
                       " and has no process of its own; name one of its runs (`drover show " +
                       id.str() + "` lists them)",
                   "run_id");
  }
  co_return Result<>{};
}

asio::awaitable<Result<>> Control::signal(RunId id, int number) {
  if (auto ok = co_await check_running(id); !ok) co_return ok;
  auto answer = co_await send(id, process::ControlOp::signal, number);
  if (!answer) co_return std::unexpected(answer.error());
  if (*answer == ESRCH) {
    co_return fail(ErrorCode::conflict, "not_running", id.str() + " has just finished", "run_id");
  }
  if (*answer != 0) co_return fail_errno("cannot send the signal", *answer);
  co_return Result<>{};
}

asio::awaitable<Result<>> Control::resize(RunId id, TerminalSize size) {
  if (auto ok = co_await check_running(id); !ok) co_return ok;
  auto answer = co_await send(id, process::ControlOp::resize, process::pack(size));
  if (!answer) co_return std::unexpected(answer.error());
  if (*answer == ENOTTY) {
    co_return fail(ErrorCode::conflict, "no_terminal",
                   id.str() + " has no terminal; start it with pty", "run_id");
  }
  if (*answer == ESRCH) {
    co_return fail(ErrorCode::conflict, "not_running", id.str() + " has just finished", "run_id");
  }
  if (*answer != 0) co_return fail_errno("cannot resize the terminal", *answer);
  co_return Result<>{};
}

asio::awaitable<Result<size_t>> Control::send_input(RunId id, Input typed) {
  const std::string& bytes = typed.bytes;
  if (auto ok = co_await check_running(id); !ok) co_return std::unexpected(ok.error());
  const auto answer_to = [&](int number) -> Result<size_t> {
    if (number == ETIMEDOUT) {
      return fail(ErrorCode::unavailable, "keeper_unreachable",
                  "the keeper of " + id.str() + " does not answer; try again", "run_id");
    }
    return fail(ErrorCode::conflict, "no_stdin",
                id.str() +
                    " does not read standard input; start it with standard input open (--stdin) or "
                    "a terminal (--pty)",
                "run_id");
  };
  const std::int64_t size = typed.at ? process::pack(*typed.at) : 0;
  size_t taken = 0;
  for (int tries = 0; taken < bytes.size() && tries < kInputTries;) {
    const std::string piece = bytes.substr(taken, process::kControlPayloadMax);
    auto answer = co_await send(id, process::ControlOp::input, size, piece);
    if (!answer) co_return std::unexpected(answer.error());
    if (*answer == 0) {
      taken += piece.size();
    } else if (*answer == EAGAIN) {
      ++tries;
      co_await host_.pause(kInputAgain);
    } else {
      co_return answer_to(*answer);
    }
  }
  if (typed.eof && taken == bytes.size()) {
    auto answer = co_await send(id, process::ControlOp::input_end, 0);
    // A command that has read everything and exited needs no end of input.
    const bool is_over = answer ? *answer != ETIMEDOUT : !flights_.contains(id);
    if (taken > 0 && is_over) co_return taken;
    if (!answer) co_return std::unexpected(answer.error());
    if (*answer != 0) co_return answer_to(*answer);
  }
  co_return taken;
}

}  // namespace drover::dispatch
