// `apply` judges a fact about a run and returns the change to write. It is pure: the store calls it
// inside the transaction that writes the change, with what the store knows at that point; tests
// call it with anything.
#pragma once

#include <span>

#include "run/change.h"
#include "run/fact.h"
#include "run/kind.h"
#include "run/waiting.h"

namespace drover::run {

// The knowledge of the store when it judges a fact.
struct JudgementContext {
  const Kinds& kinds = only_commands();
  WallMs wall_ms = 0;
  MonoNs mono_ns = 0;
  bool lane_has_free_slot = false;  // A slot is free, and no other run is before this one.
  bool lane_paused = false;
  bool lane_draining = false;                     // For a run that is to enter it.
  std::span<const Dependency> dependencies = {};  // The state of each dependency.
  const Record* retried = nullptr;                // The run that a Submitted retries.
  const Record* parent = nullptr;  // The parent, if the run's kind ends with its parent.
  const Record* rival = nullptr;   // Another active run of its scope, if only one is allowed.
};

// `before` is null if there is no such record. Refusals: not_found; conflict with reason
// `already_terminal` (H7), `active_process_conflict` (R8), `illegal_transition` (R2); of lanes and
// plans (R16, R17) `lane_full`, `lane_paused`, `lane_draining`, `lane_reserved`, `not_ready`,
// `not_queued`, `not_ended`, `already_retried`; of progress `not_running`; of kinds `unknown_kind`,
// `already_active`, `stopped`, and any refusal by the rule of a composite's room.
Result<Change> apply(const Record* before, const Fact& fact, const JudgementContext& context);

// The refusal of every fact about a run whose kind is not registered.
std::unexpected<Error> unknown_kind(const Record& record);

// The lane on whose slots and state a fact depends, which the caller must read for the
// JudgementContext. Empty: none.
std::string_view lane_of_interest(const Kinds& kinds, const Fact& fact, const Record* before);

}  // namespace drover::run
