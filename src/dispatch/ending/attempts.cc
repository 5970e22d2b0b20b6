#include "dispatch/ending/attempts.h"

#include <utility>

#include "base/crash_point.h"
#include "dispatch/files/run_note.h"
#include "log/log.h"

namespace drover::dispatch {

Attempts::Attempts(const Host& host, RunDirectories& directories, IdMaker& ids, TokenOf token_of,
                   ExactOutput exact_output)
    : host_(host),
      directories_(directories),
      ids_(ids),
      token_of_(std::move(token_of)),
      exact_output_(std::move(exact_output)) {}

asio::awaitable<bool> Attempts::prepare(run::Ended& ended, const Flight* flight) {
  if (flight == nullptr || flight->retries_left == 0) co_return true;
  const auto* exited = std::get_if<run::Exited>(&ended.ending);
  if (exited != nullptr && exited->code == 0 && ended.cause == StopCause::none) co_return true;
  auto command = process::read_command(host_.home.run_file(ended.id));
  if (!command || command->environment.empty()) {
    log::warn(ended.id, "cannot be retried: its run file is incomplete");
    co_return true;
  }
  // The flight may be gone when the store has answered.
  const int attempt = flight->attempt, retries_left = flight->retries_left;
  const auto record = co_await host_.reads.find(ended.id);
  if (!record) co_return false;
  if (!*record || (*record)->cancel_requested) co_return true;
  const RunId next = ids_.next();
  const auto noted = noted_run(ended.id, *command);
  command->keeps_environment = retries_left > 1;
  // A reader that has left does not read the next attempt either.
  if (exact_output_.may_have_reader && !exact_output_.may_have_reader(ended.id)) {
    command->has_exact_reader = false;
  }
  name_run(*command, {next, (*record)->trace_id, attempt + 1, host_.home.socket()}, token_of_);
  command->note = note_of(run::next_attempt(**record, next, host_.clock.wall_ms()), *command,
                          {.exact_reader = noted ? noted->submission.exact_reader : std::string()});
  if (auto made = directories_.create(next, *command); !made) {
    log::warn(ended.id, "cannot be retried: {}", made.error().message);
    co_return false;
  }
  crash_point("retry.file_made");
  ended.next = next;
  co_return true;
}

asio::awaitable<void> Attempts::settle(const run::Ended& ended, const store::Written* written) {
  const bool launched = !std::holds_alternative<run::NotLaunched>(ended.ending);
  const bool past_limit = ended.receipt ? ended.receipt->dropped_bytes > 0 : launched;
  if (past_limit && exact_output_.may_remain) exact_output_.may_remain(ended.id);
  if (!ended.next) co_return;
  if (written != nullptr) {
    if (written->also.empty()) directories_.discard(*ended.next);
    co_return;
  }
  const auto record = co_await host_.reads.find(*ended.next);
  if (record && !*record) directories_.discard(*ended.next);  // Unknown: the next daemon cleans up.
}

}  // namespace drover::dispatch
