// The one function by which a run changes. It is pure: the store calls it inside the transaction
// that writes its answer, with what the store then knows; tests call it with anything.
#pragma once

#include <span>

#include "run/change.h"
#include "run/fact.h"
#include "run/waiting.h"

namespace drover::run {

// What the writer knows at the moment of judging.
struct Moment {
  WallMs wall_ms = 0;
  MonoNs mono_ns = 0;
  bool lane_has_room = false;  // A slot is free, and nobody waits before this run.
  bool lane_paused = false;
  bool lane_draining = false;                     // Of a run that is to come into it.
  std::span<const Dependency> dependencies = {};  // How what it waits for stands.
  const Record* retried = nullptr;                // The run that a Submitted tries again.
  const Record* parent = nullptr;                 // Of a runtime: the play that asks for it.
  const Record* rival = nullptr;                  // Of a play: one of the same project, under way.
  bool project_known = true;                      // Of a play: its project is still there.
};

// `before` is null if there is no such record. Refusals: not_found; conflict with reason
// `already_terminal` (H7), `active_process_conflict` (R8), `illegal_transition` (R2); of lanes and
// plans (R16, R17) `lane_full`, `lane_paused`, `lane_draining`, `lane_reserved`, `not_ready`,
// `not_queued`, `not_ended`, `already_retried`; of plays (P6–P8) `already_playing`, `stopped`,
// `illegal_transition`.
Result<Change> apply(const Record* before, const Fact& fact, const Moment& moment);

// The lane whose slots and state a fact depends on: what the caller must look at to fill in a
// Moment. Null: none.
const std::string* lane_of_interest(const Fact& fact, const Record* before);

}  // namespace drover::run
