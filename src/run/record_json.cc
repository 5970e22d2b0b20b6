#include "run/record_json.h"

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <cerrno>
#include <cstring>

#include "run/resource_limits_text.h"

namespace drover::run {
namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

value time_or_null(WallMs time) {
  return time == 0 ? value(nullptr) : value(rfc3339(time));
}

template <class T>
value or_null(const std::optional<T>& v) {
  return v ? value(*v) : value(nullptr);
}
value name_or_null(const auto& v) {
  return v ? value(name(*v)) : value(nullptr);
}
value text_or_null(const std::string& text) {
  return text.empty() ? value(nullptr) : value(text);
}

array texts(const std::vector<std::string>& list) {
  return array(list.begin(), list.end());
}
object texts(const std::map<std::string, std::string>& map) {
  object out;
  for (const auto& [key, text] : map) out[key] = text;
  return out;
}

value error_name(int error) {
  const char* known = error == 0 ? nullptr : ::strerrorname_np(error);
  return known == nullptr ? value(nullptr) : value(known);
}

array ids(const std::vector<RunId>& list) {
  array out;
  for (const RunId& id : list) out.emplace_back(id.view());
  return out;
}

object describe(const Retry& retry) {
  array on;
  for (const State state : {State::failed, State::timed_out, State::abandoned}) {
    if (retry.covers(state)) on.emplace_back(name(state));
  }
  return {{"max", retry.max}, {"backoff", format_duration(retry.backoff_ms)}, {"on", on}};
}

// Only the fields that are set: most runs have none of them.
void add_plan(object& out, const Record& r) {
  if (!r.after.empty()) out["after"] = ids(r.after);
  if (!r.after_any.empty()) out["after_any"] = ids(r.after_any);
  if (r.held && r.state == State::queued) out["held"] = true;
  if (r.not_before != 0) out["not_before"] = rfc3339(r.not_before);
  if (r.retry.max > 0) out["retry"] = describe(r.retry);
  if (!r.chain.empty() && r.chain != r.id.view()) out["retry_of"] = r.chain;
}

void add_launch(object& out, const Record& r) {
  out["launch_step"] =
      r.failed_step == LaunchStep::none ? value(nullptr) : value(name(r.failed_step));
  out["launch_error"] = error_name(r.launch_error);
}

value receipt_or_null(const std::string& json) {
  boost::system::error_code bad;
  value receipt = json.empty() ? value(nullptr) : boost::json::parse(json, bad);
  return bad ? value(nullptr) : receipt;
}

// Once there is a receipt, it says what enforced them.
void add_limits(object& out, const Record& r) {
  if (!r.limits.any()) return;
  LimitEnforcement by = r.limits_by;
  if (const value receipt = receipt_or_null(r.receipt); receipt.is_object()) {
    ResourceLimits same;
    const value* enforced = receipt.get_object().if_contains("limits");
    if (enforced != nullptr) read_limits(*enforced, same, by);
  }
  out["limits"] = run::describe(r.limits, by);
}

void add_usage(object& out, const UsageRecord& usage) {
  const auto ms = [](std::uint64_t us) { return us / 1000; };
  out["cpu_user_ms"] = ms(usage.user_us);
  out["cpu_system_ms"] = ms(usage.system_us);
  out["read_bytes"] = usage.read_bytes;
  out["written_bytes"] = usage.written_bytes;
  if (usage.memory_peak_bytes != 0) out["memory_peak_bytes"] = usage.memory_peak_bytes;
}

}  // namespace

object describe_submission(const Record& r) {
  object out;
  out["kind"] = r.kind;
  out["scope"] = r.scope;
  out["name"] = text_or_null(r.name);
  out["lane"] = r.lane;
  out["command"] = texts(r.command);
  out["cwd"] = r.cwd;
  out["labels"] = texts(r.labels);
  out["parent_run_id"] = text_or_null(r.parent_run_id);
  out["attempt"] = r.attempt;
  if (r.priority != 0) out["priority"] = r.priority;
  add_plan(out, r);
  add_limits(out, r);
  return out;
}

value describe_phase(const Record& r) {
  boost::system::error_code bad;
  value phase = boost::json::parse(r.phase, bad);
  return bad ? value(nullptr) : phase;
}

value describe_progress(const Record& r) {
  boost::system::error_code bad;
  value progress = boost::json::parse(r.progress, bad);
  return bad ? value(nullptr) : progress;
}

object describe_end(const Record& r) {
  object out;
  out["state"] = name(r.state);
  out["reason"] = name_or_null(r.reason);
  out["origin"] = name_or_null(r.origin);
  out["message"] = text_or_null(r.message);
  out["exit_code"] = or_null(r.exit_code);
  out["signal"] = or_null(r.signal);
  add_launch(out, r);
  out["kind"] = r.kind;
  out["name"] = text_or_null(r.name);
  out["queued_at"] = time_or_null(r.queued_at);
  out["started_at"] = time_or_null(r.started_at);
  out["finished_at"] = time_or_null(r.finished_at);
  out["stdout_bytes"] = r.stdout_bytes;
  out["stderr_bytes"] = r.stderr_bytes;
  out["cancel_requested"] = r.cancel_requested;
  out["receipt"] = receipt_or_null(r.receipt);
  if (!r.parent_run_id.empty()) out["parent_run_id"] = r.parent_run_id;
  if (!r.retried_by.empty()) out["retried_by"] = r.retried_by;
  return out;
}

object describe(const Record& r, const Kinds& kinds) {
  object out;
  out["run_id"] = r.id.view();
  out["trace_id"] = r.trace_id;
  out["kind"] = r.kind;
  out["scope"] = r.scope;
  out["name"] = text_or_null(r.name);
  out["state"] = name(r.state);
  out["reason"] = name_or_null(r.reason);
  out["origin"] = name_or_null(r.origin);
  out["message"] = text_or_null(r.message);
  out["exit_code"] = or_null(r.exit_code);
  out["signal"] = or_null(r.signal);
  add_launch(out, r);
  out["command"] = texts(r.command);
  out["cwd"] = r.cwd;
  out["labels"] = texts(r.labels);
  out["lane"] = r.lane;
  out["attempt"] = r.attempt;
  out["priority"] = r.priority;
  add_plan(out, r);
  if (!r.retried_by.empty()) out["retried_by"] = r.retried_by;
  out["parent_run_id"] = text_or_null(r.parent_run_id);
  out["queued_at"] = time_or_null(r.queued_at);
  out["started_at"] = time_or_null(r.started_at);
  out["finished_at"] = time_or_null(r.finished_at);
  out["duration_ms"] = r.started_at == 0 || r.finished_at == 0
                           ? value(nullptr)
                           : value(r.finished_at - r.started_at);
  out["cpu_ms"] = r.cpu_ms;
  out["peak_rss_bytes"] = r.peak_rss_bytes;
  out["stdout_bytes"] = r.stdout_bytes;
  out["stderr_bytes"] = r.stderr_bytes;
  out["cancel_requested"] = r.cancel_requested;
  add_limits(out, r);
  out["receipt"] = receipt_or_null(r.receipt);
  if (!r.progress.empty()) out["progress"] = describe_progress(r);
  if (!r.phase.empty()) {
    const Kind* kind = kinds.find(r.kind);
    out[kind == nullptr ? "phase" : kind->phase_field] = describe_phase(r);
  }
  return out;
}

object describe(const Receipt& r) {
  object out;
  out["term_at"] = time_or_null(r.term_at);
  out["kill_at"] = time_or_null(r.kill_at);
  out["signalled"] = r.signaled;
  out["orphans"] = r.orphans;
  out["survivors"] = r.survivors;
  if (r.usage && r.survivors == 0 && r.usage->witness != Witness::none) {
    out["confirmed_by"] = name(r.usage->witness);
  }
  out["drained"] = r.drained;
  out["dropped_bytes"] = r.dropped_bytes;
  out["killed"] = texts(r.killed_names);
  out["survived"] = texts(r.survivor_names);
  if (r.usage) add_usage(out, *r.usage);
  if (r.usage && r.limits.any()) out["limits"] = describe(r.limits, r.usage->enforced);
  return out;
}

}  // namespace drover::run
