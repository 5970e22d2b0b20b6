#include "run/handle.h"

#include "run/event_data.h"

namespace drover::run {
namespace {

using boost::json::object;
using boost::json::value;

value field(const object& data, std::string_view name) {
  const value* found = data.if_contains(name);
  return found == nullptr ? value(nullptr) : *found;
}

std::string text(const object& data, std::string_view name) {
  const value* found = data.if_contains(name);
  return found == nullptr || !found->is_string() ? "" : std::string(found->get_string());
}

value time_or(WallMs time, const value& otherwise) {
  return time == 0 ? otherwise : value(rfc3339(time));
}

}  // namespace

void Handle::see(const Event& event) {
  run_id_ = event.run_id.str();
  trace_id_ = event.trace_id;
  scope_ = event.scope;
  if (event.type == name(EventType::queued)) {
    acknowledged_at_ = event.time;
    parent_ = text(data_of(event), "parent_run_id");
  } else if (event.type == name(EventType::started)) {
    started_at_ = event.time;
  } else if (event.terminal) {
    end_ = data_of(event);
    end_type_ = event.type;
    ended_at_ = event.time;
    if (parent_.empty()) parent_ = text(*end_, "parent_run_id");
  }
}

std::string_view Handle::status() const {
  if (!end_) return "active";
  if (end_type_ == name(EventType::completed)) return "completed";
  if (end_type_ == name(EventType::canceled)) return "cancelled";
  if (end_type_ == name(EventType::abandoned)) return "abandoned";
  return "failed";  // Also for an unknown type of a newer Drover: unknown is no success.
}

// Who launched it: another run, or the owner of its scope.
object Handle::source(std::span<const std::string_view> scope_owners) const {
  if (!parent_.empty()) return {{"kind", "run"}, {"id", parent_}};
  for (const std::string_view kind : scope_owners) {
    const std::string_view scope = scope_;
    if (scope.starts_with(kind) && scope.substr(kind.size()).starts_with('/')) {
      return {{"kind", kind}, {"id", scope.substr(kind.size() + 1)}};
    }
  }
  return {{"kind", "scope"}, {"id", scope_}};
}

object Handle::describe(std::span<const std::string_view> scope_owners) const {
  const object end = end_.value_or(object{});
  const bool went_wrong = status() == "failed" || status() == "abandoned";
  object out;
  out["object"] = "run_status";
  out["run_id"] = run_id_;
  out["trace_id"] = trace_id_;
  out["status"] = status();
  out["source"] = source(scope_owners);
  out["acknowledged_at"] = time_or(acknowledged_at_, field(end, "queued_at"));
  out["started_at"] = time_or(started_at_, field(end, "started_at"));
  out["completed_at"] = time_or(ended_at_, nullptr);
  out["terminal_reason"] = field(end, "reason");
  out["failure"] = nullptr;
  if (went_wrong) {
    out["failure"] = object{{"reason", field(end, "reason")},
                            {"origin", field(end, "origin")},
                            {"message", field(end, "message")}};
  }
  return out;
}

}  // namespace drover::run
