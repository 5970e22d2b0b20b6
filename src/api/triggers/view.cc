#include "api/triggers/view.h"

#include <boost/json/array.hpp>

#include "requests/command.h"
#include "run/redact.h"
#include "triggers/definition/environment_file.h"
#include "triggers/definition/spec.h"
#include "triggers/explain/failed_value.h"
#include "triggers/explain/warning.h"
#include "triggers/files/file_triggers.h"

namespace drover::api {
namespace {

namespace json = boost::json;

json::value text_or_null(const std::string& text) {
  return text.empty() ? json::value(nullptr) : json::value(text);
}

json::value time_or_null(WallMs time) {
  return time == 0 ? json::value(nullptr) : json::value(rfc3339(time));
}

std::string_view state_of(const triggers::StoredTrigger& trigger, bool is_timed, WallMs now) {
  if (trigger.paused_at != 0) return "paused";
  if (is_timed && !trigger.next_due) return "done";
  return trigger.backoff_until > now ? "backoff" : "active";
}

// As a record would show it.
void redact(run::Spec& run, const run::Secrets& secrets) {
  run.argv = run::redact_command(run.argv, secrets);
  run.shell = run::redact(run.shell, secrets);
  run.labels = run::redact_labels(run.labels, secrets);
}

}  // namespace

json::object view_of(const triggers::Occurrence& occurrence) {
  json::object out{{occurrence.is_scheduled() ? "slot" : "event_id", occurrence.key},
                   {"due_at", rfc3339(occurrence.due_at)},
                   {"decided_at", time_or_null(occurrence.decided_at)},
                   {"outcome", triggers::name(occurrence.outcome)},
                   {"reason", text_or_null(occurrence.reason)},
                   {"run_id", text_or_null(occurrence.run_id)}};
  if (occurrence.count > 1) {
    out["count"] = occurrence.count;
    out["first_slot"] = occurrence.first_key;
  }
  if (occurrence.number != 0) out["number"] = occurrence.number;
  if (auto value = triggers::failed_value(occurrence)) out["value"] = std::move(*value);
  return out;
}

void add_standing(json::object& out, const triggers::StoredTrigger& trigger,
                  const triggers::TriggerSpec& spec, WallMs now) {
  out["state"] = state_of(trigger, spec.schedule() != nullptr, now);
  out["when"] = triggers::describe(spec.source);
  out["paused_at"] = time_or_null(trigger.paused_at);
  out["next_at"] = time_or_null(trigger.paused_at != 0 ? 0 : trigger.wake_at.value_or(0));
  out["errors"] = trigger.errors;
  out["backoff_until"] = time_or_null(trigger.backoff_until > now ? trigger.backoff_until : 0);
}

json::object brief_of(const run::Record& record) {
  return {{"run_id", record.id.view()}, {"state", run::name(record.state)}};
}

json::object shown_fields(const Home& home, triggers::TriggerSpec spec) {
  const auto variables = triggers::read_environment_file(home, spec.name);
  std::vector<std::string> environment;
  json::array names;
  if (variables) {
    std::string given;
    for (const auto& [name, value] : *variables) {
      names.emplace_back(name);
      environment.push_back(name + "=" + value);
      given += (given.empty() ? "" : ",") + name;
    }
    environment.push_back(std::string(run::kSecretNames) + "=" + given);
  }
  redact(spec.run, run::Secrets(environment));
  json::object out = triggers::fields_of(spec);
  out["env_names"] = std::move(names);
  return out;
}

FileWarnings file_warnings(const Services& services) {
  const auto* files = services.rooms.find<triggers::FileTriggers>();
  return files == nullptr ? FileWarnings{} : files->warnings();
}

Result<json::object> view_of(store::Reads& store, const Home& home,
                             const triggers::StoredTrigger& trigger, WallMs now,
                             const FileWarnings& of_files) {
  auto spec = triggers::read_spec(trigger.spec, trigger.anchor);
  if (!spec) return std::unexpected(spec.error());
  json::object out = shown_fields(home, *spec);
  add_standing(out, trigger, *spec, now);
  const auto warning = triggers::warning_of(store, trigger, *spec, of_files);
  if (!warning) return std::unexpected(warning.error());
  out["warning"] = text_or_null(*warning);
  if (!trigger.declared_in.empty()) out["declared_in"] = trigger.declared_in;
  out["created_at"] = rfc3339(trigger.created_at);
  const auto totals = triggers::totals(store, trigger.name);
  if (!totals) return std::unexpected(totals.error());
  out["totals"] = json::object{{"fired", totals->fired},
                               {"skipped", totals->skipped},
                               {"coalesced", totals->coalesced},
                               {"missed", totals->missed}};
  const auto last = triggers::ledger(store, {.trigger = trigger.name, .limit = 1});
  if (!last) return std::unexpected(last.error());
  out["last"] = last->empty() ? json::value(nullptr) : json::value(view_of(last->front()));
  return out;
}

}  // namespace drover::api
