#include "api/triggers/why.h"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include "api/ask.h"
#include "api/http/target.h"
#include "api/triggers/view.h"
#include "requests/fields.h"
#include "triggers/events/json_text.h"
#include "triggers/explain/cause.h"
#include "triggers/explain/trial.h"
#include "triggers/explain/warning.h"
#include "triggers/explain/why.h"
#include "triggers/firing/trigger_variable.h"

namespace drover::api {
namespace {

namespace json = boost::json;

json::value time_or_null(std::optional<WallMs> time) {
  return time ? json::value(rfc3339(*time)) : json::value(nullptr);
}

json::object describe(const triggers::TriggerWhy& why, WallMs now) {
  json::object out{{"trigger", why.trigger.name}, {"source", why.trigger.source_type}};
  add_standing(out, why.trigger, why.spec, now);
  out["at"] = time_or_null(why.at);
  out["verdict"] = triggers::name(why.verdict);
  if (why.occurrence) {
    const std::string cause = triggers::cause_of(*why.occurrence);
    out["entry"] = view_of(*why.occurrence);
    out["cause"] = cause.empty() ? json::value(nullptr) : json::value(cause);
  }
  out["run"] = why.run ? json::value(brief_of(*why.run)) : json::value(nullptr);
  if (why.verdict == triggers::TimeVerdict::not_due) {
    out["due_before"] = time_or_null(why.due_before);
    out["due_after"] = time_or_null(why.due_after);
  }
  json::array active;
  for (const run::Record& record : why.active) active.push_back(brief_of(record));
  out["active"] = std::move(active);
  return out;
}

// Payloads keep the text that was sent.
Result<triggers::TrialRequest> trial_in(const Request& request) {
  triggers::TrialRequest out;
  requests::Fields fields(request.body);
  std::string at, type, key;
  fields.text("at", at);
  fields.text("type", type);
  fields.text("dedup_key", key);
  (void)fields.take("payload");
  if (auto ok = fields.finish(); !ok) return std::unexpected(ok.error());
  if (!at.empty()) {
    auto time = parse_time(at, "at");
    if (!time) return std::unexpected(time.error());
    out.at = *time;
  }
  if (!type.empty()) out.type = std::move(type);
  if (!key.empty()) out.dedup_key = std::move(key);
  if (const auto payload = triggers::raw_member(request.body, "payload")) out.payload = *payload;
  return out;
}

json::object describe(const triggers::Check& check) {
  json::object out{{"check", check.name}, {"passes", check.passes}, {"text", check.text}};
  if (check.until) out["until"] = rfc3339(*check.until);
  if (check.value) out["value"] = *check.value;
  return out;
}

json::object describe(const triggers::Trial& trial, const Home& home) {
  const triggers::Check* obstacle = trial.obstacle();
  json::object out{{"trigger", trial.trigger.name}, {"would_run", obstacle == nullptr}};
  out["obstacle"] = obstacle == nullptr ? json::value(nullptr) : json::value(obstacle->name);
  if (trial.occurrence.is_scheduled()) {
    out["slot"] = trial.occurrence.key;
    out["due_at"] = rfc3339(trial.occurrence.due_at);
    if (trial.checks.front().name == "due" && !trial.checks.front().passes) {
      out["due_before"] = time_or_null(trial.due_before);
      out["due_after"] = time_or_null(trial.due_after);
    }
  }
  json::array checks;
  for (const triggers::Check& check : trial.checks) checks.push_back(describe(check));
  out["checks"] = std::move(checks);
  json::object fields = shown_fields(home, trial.spec);
  out["run"] = std::move(fields["run"]);
  out["env_names"] = std::move(fields["env_names"]);
  json::object variable = triggers::trigger_object(trial.trigger, trial.occurrence, trial.event);
  out["in_file"] = triggers::needs_file(json::serialize(variable));
  out["drover_trigger"] = std::move(variable);
  return out;
}

}  // namespace

asio::awaitable<Result<Response>> test_trigger(Services& services, Request& request) {
  auto trial = trial_in(request);
  if (!trial) co_return std::unexpected(trial.error());
  co_return co_await ask(services, request,
                         [name = request.subject, asked = std::move(*trial), home = services.home,
                          now = services.clock.wall_ms()](store::Reads& store) -> Result<Response> {
                           auto tried = triggers::try_out(store, name, asked, now);
                           if (!tried) return std::unexpected(tried.error());
                           return answer_json(200, describe(*tried, home));
                         });
}

asio::awaitable<Result<Response>> why_trigger(Services& services, Request& request) {
  auto text = text_in(request.query, "at");
  if (!text) co_return std::unexpected(text.error());
  std::optional<WallMs> at;
  if (*text) {
    auto time = parse_time(**text, "at");
    if (!time) co_return std::unexpected(time.error());
    at = *time;
  }
  co_return co_await ask(
      services, request,
      [name = request.subject, at, now = services.clock.wall_ms(),
       of_files = file_warnings(services)](store::Reads& store) -> Result<Response> {
        auto why = triggers::explain(store, name, at, now);
        if (!why) return std::unexpected(why.error());
        const auto warning = triggers::warning_of(store, why->trigger, why->spec, of_files);
        if (!warning) return std::unexpected(warning.error());
        json::object out = describe(*why, now);
        out["warning"] = warning->empty() ? json::value(nullptr) : json::value(*warning);
        return answer_json(200, out);
      });
}

}  // namespace drover::api
