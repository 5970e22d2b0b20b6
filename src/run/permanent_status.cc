#include "run/permanent_status.h"

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

void PermanentStatus::see(const Event& event) {
  run_id_ = event.run_id.str();
  trace_id_ = event.trace_id;
  scope_ = event.scope;
  if (event.type == name(EventType::queued)) {
    const object data = data_of(event);
    acknowledged_at_ = event.time;
    parent_ = text(data, "parent_run_id");
    kind_ = text(data, "kind");
  } else if (event.type == name(EventType::taken_up)) {
    const object data = data_of(event);
    if (acknowledged_at_ == 0) {
      acknowledged_at_ = parse_time(text(data, "queued_at"), "queued_at").value_or(0);
    }
    if (parent_.empty()) parent_ = text(data, "parent_run_id");
    if (kind_.empty()) kind_ = text(data, "kind");
  } else if (event.type == name(EventType::started)) {
    launched_at_ = event.time;
  } else if (event.is_final) {
    end_ = data_of(event);
    end_type_ = event.type;
    ended_at_ = event.time;
    if (parent_.empty()) parent_ = text(*end_, "parent_run_id");
    if (kind_.empty()) kind_ = text(*end_, "kind");
  }
}

std::string_view PermanentStatus::status() const {
  if (!end_) return "active";
  if (end_type_ == name(EventType::completed)) return "completed";
  if (end_type_ == name(EventType::canceled)) return "cancelled";
  if (end_type_ == name(EventType::abandoned)) return "abandoned";
  return "failed";  // Also for an unknown type of a newer Drover: unknown is never success.
}

// The launcher that the scope names, otherwise a command: the run that this one was started in, or
// the run itself if nobody else started it. So the id of a command always resolves.
object PermanentStatus::source(std::span<const std::string_view> launchers) const {
  const std::string_view scope = scope_;
  const size_t slash = scope.find('/');
  for (const std::string_view kind : launchers) {
    if (slash == std::string_view::npos || scope.substr(0, slash) != kind) continue;
    const std::string_view rest = scope.substr(slash + 1);
    return {{"kind", kind}, {"id", rest.substr(0, rest.find('/'))}};
  }
  return {{"kind", "command"}, {"id", parent_.empty() ? run_id_ : parent_}};
}

object PermanentStatus::describe(std::span<const std::string_view> launchers) const {
  const object end = end_.value_or(object{});
  const bool went_wrong = status() == "failed" || status() == "abandoned";
  object out;
  out["object"] = "run_status";
  out["run_id"] = run_id_;
  out["trace_id"] = trace_id_;
  out["status"] = status();
  out["source"] = source(launchers);
  out["acknowledged_at"] = time_or(acknowledged_at_, field(end, "queued_at"));
  out["started_at"] = out["acknowledged_at"];  // A run starts when it is accepted (H2).
  out["launched_at"] = time_or(launched_at_, field(end, "started_at"));
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
