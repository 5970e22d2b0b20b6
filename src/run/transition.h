// The one function by which a run changes. It is pure: the store calls it inside the transaction
// that writes its answer, with what the store then knows; tests call it with anything.
#pragma once

#include <span>

#include "run/change.h"
#include "run/fact.h"
#include "run/kind.h"
#include "run/waiting.h"

namespace drover::run {

// What the writer knows at the moment of judging.
struct JudgementContext {
  const Kinds& kinds = only_commands();
  WallMs wall_ms = 0;
  MonoNs mono_ns = 0;
  bool lane_has_room = false;  // A slot is free, and nobody waits before this run.
  bool lane_paused = false;
  bool lane_draining = false;                     // Of a run that is to come into it.
  std::span<const Dependency> dependencies = {};  // How what it waits for stands.
  const Record* retried = nullptr;                // The run that a Submitted tries again.
  const Record* parent = nullptr;                 // The run that asks for it, if it ends with that.
  const Record* rival = nullptr;  // Another active one of its scope, if only one may be.
};

// `before` is null if there is no such record. Refusals: not_found; conflict with reason
// `already_terminal` (H7), `active_process_conflict` (R8), `illegal_transition` (R2); of lanes and
// plans (R16, R17) `lane_full`, `lane_paused`, `lane_draining`, `lane_reserved`, `not_ready`,
// `not_queued`, `not_ended`, `already_retried`; of kinds `unknown_kind`, `already_active`,
// `stopped`, and whatever the rule of a composite's room refuses.
Result<Change> apply(const Record* before, const Fact& fact, const JudgementContext& moment);

// Of a run whose kind nobody registered: no fact about it is taken.
std::unexpected<Error> unknown_kind(const Record& record);

// The lane whose slots and state a fact depends on: what the caller must look at to fill in a
// Moment. Empty: none.
std::string_view lane_of_interest(const Kinds& kinds, const Fact& fact, const Record* before);

}  // namespace drover::run
