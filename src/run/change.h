// A Change is the effect of a fact on a run: the record after it, and the events that describe it.
// A state changes by `step`; its event is added after it.
#pragma once

#include <vector>

#include "run/event.h"
#include "run/progress.h"
#include "run/record.h"

namespace drover::run {

enum class Effect : std::uint8_t {
  changed,  // Events were added.
  none,     // Already so: nothing is written, which is not an error.
  removed,  // The record is deleted; its evidence stays.
};

struct Change {
  Effect effect = Effect::changed;
  Record after;
  std::vector<Event> events;  // In order, run_seq assigned.
  // Another run that changes with it: the next attempt, which is new, or the previous one if this
  // run is its retry.
  std::vector<Record> also = {};
};

// Changes a record's state as the table of run/life.h says; src/ORDER allows no assignment
// elsewhere. An illegal change is refused, and the record stays as it is.
Result<> step(Record& record, Happening happening);
std::unexpected<Error> refused(const Record& record, Happening happening);
// Whether an error is such a refusal: `already_terminal` or `illegal_transition`.
bool is_refused_transition(const Error& error);
// The run that such a refusal names.
std::optional<RunId> refused_run(const Error& error);

void add_event(Change& change, EventType type, WallMs time);
// Progress: the record keeps the last of each sort, and the event has the new one.
void add_progress(Change& change, const SaidProgress& said, WallMs time);
void add_progress(Change& change, const OutputGrowth& growth, WallMs time);
// An event about the current phase, of a type that the room names.
void add_phase_event(Change& change, std::string_view type, WallMs time);

}  // namespace drover::run
