#include "run/event.h"

#include <boost/json/serialize.hpp>
#include <boost/json/value_from.hpp>
#include <utility>

#include "base/plain_numbers.h"
#include "run/record_json.h"

namespace drover::run {
namespace {

Event event_of(std::string_view type, const Record& after, WallMs time, std::string data) {
  return Event{.seq = 0,
               .run_id = after.id,
               .run_seq = after.events,
               .type = std::string(type),
               .time = time,
               .trace_id = after.trace_id,
               .scope = after.scope,
               .is_final = false,
               .data = std::move(data)};
}

}  // namespace

// No default: a type without a name does not compile.
std::string_view name(EventType type) {
  switch (type) {
    case EventType::queued:
      return "run.queued";
    case EventType::ready:
      return "run.ready";
    case EventType::moved:
      return "run.moved";
    case EventType::starting:
      return "run.starting";
    case EventType::started:
      return "run.started";
    case EventType::progress:
      return "run.progress";
    case EventType::cancel_requested:
      return "run.cancel_requested";
    case EventType::completed:
      return "run.completed";
    case EventType::failed:
      return "run.failed";
    case EventType::canceled:
      return "run.canceled";
    case EventType::timed_out:
      return "run.timed_out";
    case EventType::abandoned:
      return "run.abandoned";
    case EventType::deleted:
      return "run.deleted";
    case EventType::cancel_repeated:
      return "run.cancel_repeated";
    case EventType::cancel_refused:
      return "run.cancel_refused";
    case EventType::delete_refused:
      return "run.delete_refused";
    case EventType::taken_up:
      return "run.taken_up";
  }
  std::unreachable();
}

bool is_finished(EventType type) {
  return type >= EventType::completed && type <= EventType::abandoned;
}

EventType final_type(State state) {
  static_assert(static_cast<int>(EventType::abandoned) - static_cast<int>(EventType::completed) ==
                static_cast<int>(State::abandoned) - static_cast<int>(State::completed));
  return static_cast<EventType>(static_cast<int>(EventType::completed) + static_cast<int>(state) -
                                static_cast<int>(State::completed));
}

Event make_event(EventType type, const Record& after, WallMs time) {
  boost::json::object data;
  switch (type) {
    case EventType::queued:
      data = describe_submission(after);
      break;
    case EventType::taken_up:
      data = describe_submission(after);
      data["queued_at"] = rfc3339(after.queued_at);
      break;
    case EventType::moved:
      data["lane"] = after.lane;
      data["priority"] = after.priority;
      break;
    case EventType::deleted:
      data["state"] = name(after.state);
      break;
    default:
      if (is_finished(type)) data = describe_end(after);
  }
  Event event = event_of(name(type), after, time, plain_numbers(boost::json::serialize(data)));
  event.is_final = is_finished(type);
  return event;
}

Event make_request_event(EventType type, const Record& after, WallMs time, std::string data) {
  return event_of(name(type), after, time, std::move(data));
}

Event make_progress_event(const Record& after, WallMs time, std::string data) {
  return event_of(name(EventType::progress), after, time, std::move(data));
}

Event make_phase_event(std::string_view type, const Record& after, WallMs time) {
  return event_of(type, after, time, after.phase);
}

}  // namespace drover::run
