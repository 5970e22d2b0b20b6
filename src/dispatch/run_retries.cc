// How the RunDispatcher tries runs again (R17). The file of the next attempt is made before the end
// of the one before is recorded, and both are recorded at once: a crash can neither lose an attempt
// nor double it. A file that was made for nothing is removed, by us or by the next daemon.
#include "base/crash_point.h"
#include "dispatch/run_dispatcher.h"
#include "log/log.h"
#include "run/kind.h"
#include "run/redact.h"

namespace drover::dispatch {

// What a command is told of itself.
void RunDispatcher::name_run(process::Command& command, const RunId& id,
                             const std::string& trace_id, int attempt) const {
  // Its own names alone: what goes by another run's name would be ended with that run.
  std::erase_if(command.environment, [](std::string_view variable) {
    const std::string_view name = variable.substr(0, variable.find('='));
    return name == "DROVER_RUN_ID" || name == "DROVER_TRACE_ID" || name == "DROVER_ATTEMPT" ||
           name == "DROVER_TOKEN" || name == "TRACEPARENT";
  });
  command.environment.push_back("DROVER_RUN_ID=" + id.str());
  command.environment.push_back("DROVER_TRACE_ID=" + trace_id);
  command.environment.push_back("TRACEPARENT=00-" + trace_id + "-" + random_hex(16) + "-01");
  if (settings_.token_of) {
    command.environment.push_back("DROVER_TOKEN=" + settings_.token_of(id));
  }
  if (attempt > 0) command.environment.push_back("DROVER_ATTEMPT=" + std::to_string(attempt));
}

// Whether there is another attempt is decided by the store; here it is made possible. False: not
// yet, because a disk is full, say.
bool RunDispatcher::prepare_next(run::Ended& ended) {
  const auto flight = flights_.find(ended.id);
  if (flight == flights_.end() || flight->second.retries_left == 0) return true;
  const auto* exited = std::get_if<run::Exited>(&ended.ending);
  if (exited != nullptr && exited->code == 0 && ended.cause == StopCause::none) return true;
  auto command = process::read_command(home_.run_file(ended.id));
  if (!command || command->environment.empty()) {
    log::warn(ended.id, "cannot be tried again: its file is not whole");
    return true;
  }
  const auto record = store_.find(ended.id);
  if (!record) return false;
  if (!*record || (*record)->cancel_requested) return true;
  const RunId next = ids_.next();
  command->keeps_environment = flight->second.retries_left > 1;
  name_run(*command, next, (*record)->trace_id, flight->second.attempt + 1);
  if (auto made = folders_.create(next, *command); !made) {
    log::warn(ended.id, "cannot be tried again: {}", made.error().message);
    return false;
  }
  crash_point("retry.file_made");
  ended.next = next;
  return true;
}

void RunDispatcher::settle_next(const RunId& next) {
  const auto record = store_.find(next);
  if (!record) return;  // The next daemon will find out.
  if (!*record) return folders_.discard(next);
  settle_as_stored(next);
  claim_next();
}

asio::awaitable<Result<store::Written>> RunDispatcher::retry(Again again) {
  if (closing_) {
    co_return fail(ErrorCode::unavailable, "stopping",
                   "the daemon is ending its runs and takes no more; try again when it is back");
  }
  const auto old = store_.find(again.id);
  if (!old) co_return std::unexpected(old.error());
  if (!*old) co_return fail(ErrorCode::not_found, "not_found", "there is no such run", "run_id");
  if (!run::is_retriable((*old)->kind)) {
    co_return fail(ErrorCode::conflict, "not_retriable",
                   again.id.str() + " belongs to a play; `drover play` plays the project again",
                   "run_id");
  }
  auto command = process::read_command(home_.run_file(again.id));
  if (!command) {
    co_return fail(ErrorCode::conflict, "command_gone",
                   "the command of " + again.id.str() + " is no longer there; run it anew",
                   "run_id");
  }
  run::Record record = run::next_attempt(**old, ids_.next(), clock_.wall_ms());
  const auto secrets = run::secret_values(again.environment);
  record.command = run::redact_command(record.command, secrets);
  record.retry = {};  // By hand is by hand.
  record.held = false;
  record.not_before = 0;
  command->environment = std::move(again.environment);
  command->keeps_environment = false;
  name_run(*command, record.id, record.trace_id, record.attempt);
  if (auto made = folders_.create(record.id, *command); !made) {
    co_return std::unexpected(made.error());
  }
  co_return co_await take_in({.record = std::move(record),
                              .key = std::move(again.key),
                              .digest = std::move(again.digest),
                              .retries = again.id});
}

}  // namespace drover::dispatch
