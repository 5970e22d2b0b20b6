#include "dispatch/attempts.h"

#include <utility>

#include "base/crash_point.h"
#include "log/log.h"

namespace drover::dispatch {

Attempts::Attempts(const Host& host, RunDirectories& directories, IdMaker& ids, TokenOf token_of)
    : host_(host), directories_(directories), ids_(ids), token_of_(std::move(token_of)) {}

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
  name_run(*command, {next, (*record)->trace_id, flight->attempt + 1}, token_of_);
  if (auto made = directories_.create(next, *command); !made) {
    log::warn(ended.id, "cannot be retried: {}", made.error().message);
    return false;
  }
  crash_point("retry.file_made");
  ended.next = next;
  return true;
}

void Attempts::drop_unused(const run::Ended& ended, const store::Written* written) {
  if (!ended.next) return;
  if (written != nullptr) {
    if (written->also.empty()) directories_.discard(*ended.next);
    return;
  }
  const auto record = host_.store.find(*ended.next);
  if (record && !*record) directories_.discard(*ended.next);  // Unknown: the next daemon cleans up.
}

}  // namespace drover::dispatch
