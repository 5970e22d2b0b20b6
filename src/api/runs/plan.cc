#include "api/runs/plan.h"

#include "base/clock.h"
#include "queries/resolve.h"

namespace drover::api {
namespace {

namespace json = boost::json;

std::optional<Error> read_runs(Fields& fields, std::string_view name, std::vector<RunId>& ids,
                               const Services& services, const access::Grant& grant) {
  if (!fields.has(name)) return std::nullopt;
  std::vector<std::string> texts;
  fields.texts(name, texts);
  if (texts.size() > limits::kDependenciesMax) texts.resize(limits::kDependenciesMax + 1);
  for (const std::string& text : texts) {
    auto id = queries::resolve_within(services.store, grant, text);
    if (!id) {
      id.error().param = name;
      return std::move(id.error());
    }
    ids.push_back(*id);
  }
  return std::nullopt;
}

void read_retry(Fields& fields, run::Retry& retry) {
  const json::value* given = fields.take("retry");
  if (given == nullptr) return;
  constexpr const char* kForm =
      "retry must be an object such as {\"max\": 3, \"backoff\": \"1s\", \"on\": [\"failed\"]}";
  const auto* object = given->if_object();
  if (object == nullptr) return fields.refuse("retry", kForm);
  for (const auto& [key, value] : *object) {
    if (key == "max" && value.is_int64()) {
      // An out-of-range value is refused where all limits are checked.
      const auto max = value.get_int64();
      retry.max = max < 0 || max > limits::kRetriesMax ? -1 : static_cast<int>(max);
    } else if (key == "backoff" && value.is_string()) {
      auto ms = parse_duration_ms(value.get_string(), "retry");
      if (!ms) return fields.refuse(std::move(ms.error()));
      retry.backoff_ms = *ms;
    } else if (key == "on" && value.is_array()) {
      for (const json::value& state : value.get_array()) {
        const auto known = run::state_named(state.is_string() ? state.get_string() : "");
        // An unknown name becomes a state that cannot be retried, and is refused there.
        retry.on.push_back(known.value_or(run::State::queued));
      }
    } else {
      return fields.refuse("retry", kForm);
    }
  }
}

}  // namespace

std::optional<Error> read_plan(Fields& fields, run::Spec& spec, const Services& services,
                               const access::Grant& grant) {
  std::int64_t priority = 0;
  fields.number("priority", priority);
  if (auto ok = run::validate_priority(priority); !ok) fields.refuse(std::move(ok.error()));
  spec.priority = static_cast<int>(priority);
  auto missing = read_runs(fields, "after", spec.after, services, grant);
  auto any_missing = read_runs(fields, "after_any", spec.after_any, services, grant);
  read_retry(fields, spec.retry);
  return missing ? std::move(missing) : std::move(any_missing);
}

}  // namespace drover::api
