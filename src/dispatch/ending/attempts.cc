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

bool Attempts::prepare(run::Ended& ended, const Flight* flight) {
  if (flight == nullptr || flight->retries_left == 0) return true;
  const auto* exited = std::get_if<run::Exited>(&ended.ending);
  if (exited != nullptr && exited->code == 0 && ended.cause == StopCause::none) return true;
  auto command = process::read_command(host_.home.run_file(ended.id));
  if (!command || command->environment.empty()) {
    log::warn(ended.id, "cannot be retried: its run file is incomplete");
    return true;
  }
  const auto record = host_.store.find(ended.id);
  if (!record) return false;
  if (!*record || (*record)->cancel_requested) return true;
  const RunId next = ids_.next();
  command->keeps_environment = flight->retries_left > 1;
  // A reader that has left does not read the next attempt either.
  if (exact_output_.may_have_reader && !exact_output_.may_have_reader(ended.id)) {
    command->has_exact_reader = false;
  }
  name_run(*command, {next, (*record)->trace_id, flight->attempt + 1, host_.home.socket()},
           token_of_);
  command->note = note_of(run::next_attempt(**record, next, host_.clock.wall_ms()), *command);
  if (auto made = directories_.create(next, *command); !made) {
    log::warn(ended.id, "cannot be retried: {}", made.error().message);
    return false;
  }
  crash_point("retry.file_made");
  ended.next = next;
  return true;
}

void Attempts::settle(const run::Ended& ended, const store::Written* written) {
  const bool launched = !std::holds_alternative<run::NotLaunched>(ended.ending);
  const bool past_limit = ended.receipt ? ended.receipt->dropped_bytes > 0 : launched;
  if (past_limit && exact_output_.may_remain) exact_output_.may_remain(ended.id);
  if (!ended.next) return;
  if (written != nullptr) {
    if (written->also.empty()) directories_.discard(*ended.next);
    return;
  }
  const auto record = host_.store.find(*ended.next);
  if (record && !*record) directories_.discard(*ended.next);  // Unknown: the next daemon cleans up.
}

}  // namespace drover::dispatch
