#include "run/event.h"

#include <array>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value_from.hpp>

#include "base/plain_numbers.h"
#include "run/evidence.h"

namespace drover::run {
namespace {

constexpr std::array<std::string_view, 14> kTypeNames{
    "run.queued",           "run.ready",     "run.moved",  "run.starting", "run.started",
    "run.cancel_requested", "run.completed", "run.failed", "run.canceled", "run.timed_out",
    "run.abandoned",        "run.deleted",   "play.step",  "play.changed"};

// It was written by us, and is an object.
boost::json::object session_data(const std::string& session) {
  boost::system::error_code bad;
  boost::json::value value = boost::json::parse(session, bad);
  return value.is_object() ? std::move(value.get_object()) : boost::json::object();
}

}  // namespace

std::string_view name(EventType type) {
  return kTypeNames[static_cast<size_t>(type)];
}

bool is_terminal(EventType type) {
  return type >= EventType::completed && type <= EventType::abandoned;
}

EventType terminal_type(State state) {
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
    case EventType::moved:
      data["lane"] = after.lane;
      data["priority"] = after.priority;
      break;
    case EventType::deleted:
      data["state"] = name(after.state);
      break;
    case EventType::session_advanced:
    case EventType::session_changed:
      data = session_data(after.session);
      break;
    default:
      if (is_terminal(type)) data = describe_end(after);
  }
  return Event{.seq = 0,
               .run_id = after.id,
               .run_seq = after.events,
               .type = std::string(name(type)),
               .time = time,
               .trace_id = after.trace_id,
               .scope = after.scope,
               .terminal = is_terminal(type),
               .data = plain_numbers(boost::json::serialize(data))};
}

}  // namespace drover::run
