// An Event is one line of the spine: something that happened to a run, or to something else that
// lasts, written once and never changed. Its document is docs/events.md.
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
  cancel_requested,
  completed,
  failed,
  canceled,
  timed_out,
  abandoned,
  deleted
};
std::string_view name(EventType type);
bool is_finished(EventType type);
EventType terminal_type(State state);

struct Event {
  std::int64_t seq = 0;      // Given by the store; only increases.
  RunId run_id;              // None: it is about something else.
  std::string other = {};    // What it is about, if it is no run: "lane/gpu".
  std::int64_t run_seq = 0;  // 1, 2, 3 … within its subject.
  std::string type;          // Text, so that an older Drover can carry what a newer one wrote.
  WallMs time = 0;
  std::string trace_id;
  std::string scope;
  bool terminal = false;
  std::string data;  // A JSON object.

  bool is_of_run() const { return other.empty(); }
  // "run/<id>", "lane/gpu".
  std::string subject() const { return is_of_run() ? "run/" + run_id.str() : other; }
};

// The event of `type` that leaves `after` behind; its data is what the record then says. A terminal
// event carries all that a handle must still tell when the record is gone (H2, H4).
Event make_event(EventType type, const Record& after, WallMs time);
// An event of a composite's room: it tells the phase that `after` is in.
Event make_phase_event(std::string_view type, const Record& after, WallMs time);

}  // namespace drover::run
