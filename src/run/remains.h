// The remains of a run are what compaction keeps of it after its removal (R9): its final event,
// without the name and the receipt. Its handle resolves to the same status as before (H2, H4).
// Pure.
#pragma once

#include <optional>
#include <span>

#include "run/event.h"
#include "run/record.h"

namespace drover::run {

struct Remains {
  std::int64_t seq = 0;  // Of the final event; `record.events` is its run_seq.
  Record record;
};

// The remains of a removed run, from all of its events in order. Nothing: the run has not finished,
// or its remains would not say the same as its events, so the events must stay.
std::optional<Remains> remains_of(std::span<const Event> events);

// The final event that the remains stand for.
Event final_event(const Remains& remains);

}  // namespace drover::run
