#include "dispatch/control.h"

#include <cerrno>
#include <chrono>

#include "run/transition.h"

namespace drover::dispatch {
namespace {

constexpr std::chrono::milliseconds kInputAgain{10};
constexpr int kInputTries = 100;  // A second for a command to read some; then its sender decides.

}  // namespace

asio::awaitable<Result<int>> Control::tell(RunId id, process::ControlOp op, std::int64_t argument,
                                           std::string payload) {
  co_return co_await line_.tell(id, op, argument, std::move(payload),
                                [this, id] { return flights_.contains(id); });
}

Result<> Control::check_running(const RunId& id) {
  auto record = host_.store.find(id);
  if (!record) return std::unexpected(record.error());
  if (!*record) {
    return fail(ErrorCode::not_found, "not_found", "there is no such run", "run_id");
  }
  if ((*record)->state == run::State::queued || run::is_finished((*record)->state)) {
    return fail(ErrorCode::conflict, "not_running",
                id.str() + " is " + std::string(name((*record)->state)) + ", not running",
                "run_id");
  }
  if (!host_.kinds.knows((*record)->kind)) return run::unknown_kind(**record);
  if (host_.kinds.is_composite((*record)->kind)) {
    return fail(ErrorCode::conflict, "no_process",
                id.str() + " is a " + (*record)->kind +
                    ", and no process; name one of its runs, `drover show " + id.str() +
                    "` lists them",
                "run_id");
  }
  return {};
}

asio::awaitable<Result<>> Control::signal(RunId id, int number) {
  if (auto ok = check_running(id); !ok) co_return ok;
  auto told = co_await tell(id, process::ControlOp::signal, number);
  if (!told) co_return std::unexpected(told.error());
  if (*told == ESRCH) {
    co_return fail(ErrorCode::conflict, "not_running", id.str() + " has just ended", "run_id");
  }
  if (*told != 0) co_return fail_errno("the signal could not be sent", *told);
  co_return Result<>{};
}

asio::awaitable<Result<>> Control::resize(RunId id, TerminalSize size) {
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

asio::awaitable<Result<size_t>> Control::send_input(RunId id, Input typed) {
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
      co_await host_.pause(kInputAgain);
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

}  // namespace drover::dispatch
