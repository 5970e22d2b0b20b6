// An EventEnvelope is one event as triggers see it: a payload, and what Drover knows about it.
//
//   {"id":"evt_…","type":"custom.deploy","source":"emit","time":"2026-11-15T09:58:25.123Z",
//    "dedup_key":"v1.4","chain":["nightly"],"payload":{"ref":"main"}}
//
// `dedup_key` and `chain` are left out if they are empty. The payload is any JSON value. It is kept
// as the text that was sent, byte for byte, so that a run gets the number 1.50 and not 1.5E0, and
// can check a signature of it. Pure, any thread; limits are in limits.h.
#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "triggers/events/loop_guard.h"

namespace drover::triggers {

struct EventEnvelope {
  std::string id;    // Unique; visible ASCII.
  std::string type;  // event_type.h
  // The producer of the event, and the scope of its dedup keys: "emit", "run", "hook/deploy".
  std::string producer;
  WallMs time = 0;
  std::string dedup_key;         // Empty: never a duplicate.
  TriggerChain chain;            // loop_guard.h
  std::string payload = "null";  // JSON text.
  bool operator==(const EventEnvelope&) const = default;
};

// Errors name the wrong field as `param`.
Result<> check_event(const EventEnvelope& event);

// The form above, on one line if the payload is. `event` must have passed check_event.
std::string to_json_text(const EventEnvelope& event);
// Reads it back. Unknown fields are ignored: a later Drover may have written them.
Result<EventEnvelope> read_event(std::string_view text);

// The same form as a value, for filters. Fails as check_event does if the payload is not valid.
Result<boost::json::value> to_value(const EventEnvelope& event);

// The part of an event that a program posts; Drover adds the rest.
struct PostedEvent {
  std::string type;
  std::string dedup_key;
  std::string payload = "null";
};
// {"type":"custom.deploy","payload":{…},"dedup_key":"v1.4"}: only the type is required, other
// fields are refused, and so are types that Drover alone produces.
Result<PostedEvent> parse_posted_event(std::string_view body);

// A payload by itself: `drover emit --data`, the body of a webhook. `param` is for the error; one
// that is too large is `exhausted`.
Result<> check_payload(std::string_view text, std::string_view param);
Result<> check_dedup_key(std::string_view key, std::string_view param);

}  // namespace drover::triggers
