// Judges the facts about a composite, a run that is made of others, for `apply` (run/transition.h),
// by the rule of its kind (run/kind.h). Pure.
#pragma once

#include "run/change.h"
#include "run/fact.h"
#include "run/kind.h"

namespace drover::run {

// With its first commit a composite is running and in its first phase; it never waits in a queue.
Result<> begin_phase(Change& change, const Kind& kind, WallMs now);

Result<Change> change_phase(const Record& before, const Kind& kind, const PhaseChanged& fact,
                            WallMs now);

}  // namespace drover::run
