#include "requests/command.h"

#include <boost/json/array.hpp>

#include "base/clock.h"
#include "base/text.h"
#include "requests/resource_limits.h"

namespace drover::requests {
namespace {

namespace json = boost::json;

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

json::value word_of(std::string_view bytes) {
  if (is_utf8(bytes)) return json::value(bytes);
  return json::object{{"base64", base64(bytes)}};
}

json::object limits_of(const ResourceLimits& limits) {
  json::object out;
  if (limits.memory_bytes != 0) out["memory"] = limits.memory_bytes;
  if (limits.cpu_milli != 0) out["cpus"] = limits.cpu_milli / 1000.0;
  if (limits.pids != 0) out["pids"] = limits.pids;
  if (limits.nice != 0) out["nice"] = limits.nice;
  if (limits.output_bytes != 0) out["output"] = limits.output_bytes;
  if (limits.output_ends != 0) out["on_output"] = "end";
  return out;
}

json::object retry_of(const run::Retry& retry) {
  json::object out{{"max", retry.max}, {"backoff", format_duration(retry.backoff_ms)}};
  json::array on;
  for (const run::State state : retry.on) on.emplace_back(run::name(state));
  if (!on.empty()) out["on"] = std::move(on);
  return out;
}

}  // namespace

void read_command(Fields& fields, run::Spec& spec) {
  fields.texts("command", spec.argv);
  fields.text("shell", spec.shell);
  fields.text("cwd", spec.cwd);
  fields.pairs("env", spec.env);
  fields.text("name", spec.name);
  fields.text("lane", spec.lane);
  fields.pairs("labels", spec.labels);
  fields.duration_ms("timeout", spec.timeout_ms);
  fields.duration_ms("idle_timeout", spec.idle_timeout_ms);
  fields.duration_ms("grace", spec.grace_ms);
  std::int64_t priority = spec.priority;
  fields.number("priority", priority);
  if (auto ok = run::validate_priority(priority); !ok) fields.refuse(std::move(ok.error()));
  spec.priority = static_cast<int>(priority);
  read_retry(fields, spec.retry);
  auto on_restart = static_cast<size_t>(spec.on_restart);
  fields.choice("on_restart", {"requeue", "fail"}, on_restart);
  spec.on_restart = static_cast<run::OnRestart>(on_restart);
  read_limits(fields, spec.limits);
}

json::object command_of(const run::Spec& spec) {
  const run::Spec plain;
  json::object out;
  if (spec.shell.empty()) {
    json::array argv;
    for (const std::string& argument : spec.argv) argv.push_back(word_of(argument));
    out["command"] = std::move(argv);
  } else {
    out["shell"] = spec.shell;
  }
  out["cwd"] = spec.cwd;
  if (!spec.name.empty()) out["name"] = spec.name;
  if (spec.lane != plain.lane) out["lane"] = spec.lane;
  json::object labels;
  for (const auto& [name, value] : spec.labels) labels[name] = value;
  if (!labels.empty()) out["labels"] = std::move(labels);
  if (spec.timeout_ms != 0) out["timeout"] = format_duration(spec.timeout_ms);
  if (spec.idle_timeout_ms != 0) out["idle_timeout"] = format_duration(spec.idle_timeout_ms);
  if (spec.grace_ms != plain.grace_ms) out["grace"] = format_duration(spec.grace_ms);
  if (spec.priority != 0) out["priority"] = spec.priority;
  if (spec.retry.max != 0) out["retry"] = retry_of(spec.retry);
  if (spec.on_restart == run::OnRestart::fail) out["on_restart"] = "fail";
  if (json::object limits = limits_of(spec.limits); !limits.empty()) {
    out["limits"] = std::move(limits);
  }
  return out;
}

}  // namespace drover::requests
