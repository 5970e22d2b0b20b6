#include "triggers/firing/results.h"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "run/event_data.h"
#include "triggers/definition/stored_trigger.h"
#include "triggers/time/backoff.h"

namespace drover::triggers {
namespace {

bool is_failure(run::State state) {
  return state == run::State::failed || state == run::State::timed_out ||
         state == run::State::abandoned;
}

Result<> note(store::Transaction& transaction, const std::string& name, const std::string& run_id,
              bool failed, WallMs finished_at) {
  const auto trigger = find_trigger(transaction, name);
  // It was removed, or its errors are as they should be.
  if (!trigger || (!failed && trigger->errors == 0)) return {};
  const std::int64_t errors = failed ? trigger->errors + 1 : 0;
  const WallMs until = failed ? finished_at + backoff_ms(static_cast<int>(errors)) : 0;
  auto noted = transaction.execute(
      "UPDATE triggers SET errors = $1, backoff_until = $2 WHERE name = $3", {errors, until, name});
  if (!noted) return noted;
  boost::json::object data{{"trigger", name}, {"errors", errors}, {"run_id", run_id}};
  if (failed) data["backoff_until"] = rfc3339(until);
  return transaction.append({.subject = "trigger/" + name,
                             .type = failed ? "trigger.backoff" : "trigger.recovered",
                             .scope = scope_of(name),
                             .data = boost::json::serialize(data)});
}

store::Work on_event(const run::Event& event) {
  if (!event.is_final || !event.is_of_run()) return {};
  // Runs that a trigger's run starts have a scope below its own.
  const std::string name = event.scope.substr(event.scope.find('/') + 1);
  if (name.contains('/')) return {};
  const run::Record record = run::record_of(event);
  if (!record.retried_by.empty() || record.state == run::State::canceled) return {};
  return [name, run_id = record.id.str(), failed = is_failure(record.state),
          at = event.time](store::Transaction& t) { return note(t, name, run_id, failed, at); };
}

}  // namespace

follow::Follower results_follower() {
  return {.name = "triggers.results", .filter = {.run = {}, .scope = "trigger"}, .on = on_event};
}

}  // namespace drover::triggers
