// An Event is one entry of the event log: something that happened to a run, or to another lasting
// thing such as a lane. It is written once and never changed. docs/events.md describes it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/id.h"
#include "run/record.h"

namespace drover::run {

enum class EventType : std::uint8_t {
  queued,
  ready,
  moved,
  starting,
  started,
  progress,
  cancel_requested,
  completed,
  failed,
  canceled,
  timed_out,
  abandoned,
  deleted,
  cancel_repeated,
  cancel_refused,
  delete_refused,
  taken_up
};
std::string_view name(EventType type);
bool is_finished(EventType type);
EventType final_type(State state);

struct Event {
  std::int64_t seq = 0;      // Assigned by the store; only increases.
  RunId run_id;              // Not set: the event is about something else.
  std::string other = {};    // Its subject if that is not a run: "lane/gpu".
  std::int64_t run_seq = 0;  // 1, 2, 3 … within its subject.
  std::string type;          // Text, so that an older Drover can pass on a newer one's types.
  WallMs time = 0;
  std::string trace_id;
  std::string scope;
  bool is_final = false;
  std::string data;  // A JSON object.

  bool is_of_run() const { return other.empty(); }
  // "run/<id>", "lane/gpu".
  std::string subject() const { return is_of_run() ? "run/" + run_id.str() : other; }
};

// The event of `type` after which the record is `after`; its data is taken from the record. The
// last event of a run carries everything that a handle must still show when the record is deleted
// (H2, H4).
Event make_event(EventType type, const Record& after, WallMs time);
// A request that changed nothing (fact.h: RequestRefused); `data` says whose it was.
Event make_request_event(EventType type, const Record& after, WallMs time, std::string data);
// Progress (run/progress.h); `data` says which part of it is new.
Event make_progress_event(const Record& after, WallMs time, std::string data);
// An event of a composite's room; its data is the phase of `after`.
Event make_phase_event(std::string_view type, const Record& after, WallMs time);

}  // namespace drover::run
