#include "run/remains.h"

#include <algorithm>
#include <boost/json/serialize.hpp>

#include "run/event_data.h"
#include "run/permanent_status.h"

namespace drover::run {
namespace {

std::string status_text(std::span<const Event> events) {
  PermanentStatus status;
  for (const Event& event : events) status.see(event);
  return boost::json::serialize(status.describe({}));
}

// Events of older versions say less at the end of a run, and more before it.
void complete(Record& record, const Event& event) {
  if (event.type == name(EventType::queued)) {
    record.queued_at = event.time;
    if (!record.parent_run_id.empty()) return;
    const auto data = data_of(event);
    const auto* parent = data.if_contains("parent_run_id");
    if (parent != nullptr && parent->is_string()) record.parent_run_id = parent->get_string();
  } else if (event.type == name(EventType::started)) {
    record.started_at = event.time;
  }
}

}  // namespace

std::optional<Remains> remains_of(std::span<const Event> events) {
  const auto end = std::ranges::find_if(events, &Event::is_final);
  if (end == events.end()) return std::nullopt;
  Remains remains{.seq = end->seq, .record = record_of(*end)};
  Record& record = remains.record;
  record.name.clear();
  record.receipt.clear();
  record.finished_at = end->time;
  for (const Event& event : events) complete(record, event);
  const Event rebuilt = final_event(remains);
  if (rebuilt.type != end->type) return std::nullopt;
  if (status_text(std::span(&rebuilt, 1)) != status_text(events)) return std::nullopt;
  return remains;
}

Event final_event(const Remains& remains) {
  const Record& record = remains.record;
  Event event = make_event(final_type(record.state), record, record.finished_at);
  event.seq = remains.seq;
  return event;
}

}  // namespace drover::run
