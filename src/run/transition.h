// The one function by which a run changes. It is pure: the store calls it inside the transaction
// that writes its answer, with what the store then knows; tests call it with anything.
#pragma once

#include <optional>
#include <vector>

#include "run/event.h"
#include "run/fact.h"

namespace drover::run {

// What the writer knows at the moment of judging.
struct Moment {
  WallMs wall_ms = 0;
  MonoNs mono_ns = 0;
  bool lane_has_room = false;  // A slot is free, and nobody waits before this run.
};

enum class Effect : std::uint8_t {
  changed,  // Events were added.
  none,     // It was so already; nothing is written, and that is fine.
  removed,  // The record goes; its evidence stays on the spine.
};

struct Change {
  Effect effect = Effect::changed;
  Record after;
  std::vector<Event> events;  // In order, run_seq assigned.
};

// `before` is null if there is no such record. Refusals: not_found; conflict with reason
// `already_terminal` (H7), `active_process_conflict` (R8), `lane_full`, `illegal_transition` (R2).
Result<Change> apply(const Record* before, const Fact& fact, const Moment& moment);

}  // namespace drover::run
