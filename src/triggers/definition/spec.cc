#include "triggers/definition/spec.h"

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "base/lane_name.h"
#include "requests/command.h"
#include "requests/fields.h"
#include "triggers/definition/spec_source.h"
#include "triggers/events/dedup.h"
#include "triggers/time/limits.h"

namespace drover::triggers {
namespace {

namespace json = boost::json;
using requests::Fields;

constexpr auto kMissed = std::to_array<std::string_view>({"once", "skip", "all"});
constexpr auto kOverlaps = std::to_array<std::string_view>({"skip", "queue", "replace"});

Error inside(std::string_view part, Error error) {
  error.param = std::string(part) + (error.param.empty() ? "" : "." + error.param);
  return error;
}

// The nested object `part`, read by `read`; its errors name the field as "part.field".
template <class Read>
void read_part(Fields& fields, std::string_view part, std::string_view missing, Read read) {
  const json::value* value = fields.take(part);
  if (value == nullptr) return fields.refuse(part, std::string(missing));
  if (!value->is_object()) {
    return fields.refuse(part, std::string(part) + " must be an object");
  }
  Fields nested(json::serialize(*value));
  read(nested);
  if (auto ok = nested.finish(); !ok) fields.refuse(inside(part, ok.error()));
}

// Rules as objects, or as people type them: "payload.size lt 1000".
void read_filters(Fields& fields, const json::value& given, std::vector<FilterRule>& out) {
  json::array rules;
  if (!given.is_array()) return fields.refuse("filters", "filters must be a list of rules");
  for (const json::value& rule : given.get_array()) {
    if (!rule.is_string()) {
      rules.push_back(rule);
      continue;
    }
    auto parsed = parse_rule_text(rule.get_string());
    if (!parsed) return fields.refuse(std::move(parsed.error()));
    rules.push_back(parsed->as_json());
  }
  auto parsed = parse_rules(rules);
  if (!parsed) return fields.refuse(std::move(parsed.error()));
  out = std::move(*parsed);
}

// Policies that the source cannot have are refused, rather than ignored.
Result<> check_policies(const TriggerSpec& spec, const json::object& given) {
  const bool is_timed = spec.schedule() != nullptr;
  for (const char* field : {"missed", "missed_window", "jitter"}) {
    if (!is_timed && given.contains(field)) {
      return fail_invalid(field,
                          std::string(field) + " is for triggers with a schedule; remove it");
    }
  }
  for (const char* field : {"filters", "dedup"}) {
    if (is_timed && given.contains(field)) {
      return fail_invalid(field, std::string(field) + " is for triggers on events; remove it");
    }
  }
  if (given.contains("missed_window") && spec.missed != MissedPolicy::all) {
    return fail_invalid("missed_window", "missed_window needs missed: all");
  }
  if (spec.missed_window_ms <= 0 || spec.missed_window_ms > kMissedWindowMaxMs) {
    return fail_invalid("missed_window", "missed_window must be between 1ms and 366d");
  }
  if (spec.jitter_ms < 0 || spec.jitter_ms > kJitterMaxMs) {
    return fail_invalid("jitter", "jitter must be at most 24h");
  }
  return check_dedup_window(spec.dedup_ms, "dedup");
}

Result<> check_run(const run::Spec& run) {
  auto ok = run::validate(run);
  if (!ok) return std::unexpected(inside("run", ok.error()));
  return {};
}

}  // namespace

std::string_view name(Overlap overlap) {
  return kOverlaps[static_cast<size_t>(overlap)];
}

Result<> check_name(std::string_view name) {
  const bool fits = is_lane_name(name) && name.front() != '.' && name.front() != '-';
  if (fits) return {};
  return fail_invalid("name", "the name of a trigger has " + std::string(kLaneNameRule) +
                                  ", and begins with a letter, a digit or '_'");
}

Result<TriggerSpec> read_spec(const json::object& given, WallMs anchor) {
  TriggerSpec spec;
  Fields fields(json::serialize(given));
  fields.text("name", spec.name);
  read_part(fields, "source", "source is missing: say when the trigger fires",
            [&](Fields& nested) { read_source(nested, anchor, spec.source); });
  read_part(fields, "run", "run is missing: name the command that the trigger starts",
            [&](Fields& nested) {
              spec.run.cwd = "/";
              requests::read_command(nested, spec.run);
            });
  if (const json::value* rules = fields.take("filters")) read_filters(fields, *rules, spec.filters);
  fields.duration_ms("dedup", spec.dedup_ms);
  fields.duration_ms("jitter", spec.jitter_ms);
  auto missed = static_cast<size_t>(spec.missed);
  fields.choice("missed", {kMissed.begin(), kMissed.end()}, missed);
  spec.missed = static_cast<MissedPolicy>(missed);
  fields.duration_ms("missed_window", spec.missed_window_ms);
  auto overlap = static_cast<size_t>(spec.overlap);
  fields.choice("overlap", {kOverlaps.begin(), kOverlaps.end()}, overlap);
  spec.overlap = static_cast<Overlap>(overlap);
  if (auto ok = fields.finish(); !ok) return std::unexpected(ok.error());
  if (auto ok = check_name(spec.name); !ok) return std::unexpected(ok.error());
  if (auto ok = check_policies(spec, given); !ok) return std::unexpected(ok.error());
  spec.run.scope = "trigger/" + spec.name;
  if (spec.run.name.empty()) spec.run.name = spec.name;
  if (auto ok = check_run(spec.run); !ok) return std::unexpected(ok.error());
  return spec;
}

Result<TriggerSpec> read_spec(std::string_view text, WallMs anchor) {
  boost::system::error_code bad;
  const json::value value = json::parse(text, bad);
  if (bad || !value.is_object()) {
    return fail(ErrorCode::corrupt, "unreadable_trigger", "the stored trigger is not JSON");
  }
  return read_spec(value.get_object(), anchor);
}

json::object fields_of(const TriggerSpec& spec) {
  json::object out{{"name", spec.name}, {"source", fields_of(spec.source)}};
  json::array rules;
  for (const FilterRule& rule : spec.filters) rules.push_back(rule.as_json());
  if (!rules.empty()) out["filters"] = std::move(rules);
  if (spec.dedup_ms != 0) out["dedup"] = format_duration(spec.dedup_ms);
  if (spec.jitter_ms != 0) out["jitter"] = format_duration(spec.jitter_ms);
  if (spec.missed != MissedPolicy::once) out["missed"] = kMissed[static_cast<size_t>(spec.missed)];
  if (spec.missed == MissedPolicy::all) {
    out["missed_window"] = format_duration(spec.missed_window_ms);
  }
  if (spec.overlap != Overlap::skip) out["overlap"] = name(spec.overlap);
  out["run"] = requests::command_of(spec.run);
  return out;
}

}  // namespace drover::triggers
