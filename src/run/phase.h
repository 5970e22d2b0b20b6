// What happens to a composite, a run that is made of others: judged here for `apply`
// (run/transition.h), by the rule that its kind brings (run/kind.h). Pure.
#pragma once

#include "run/change.h"
#include "run/fact.h"
#include "run/kind.h"

namespace drover::run {

// A composite is running and in its first phase from its first commit on; it waits in no queue.
Result<> begin_phase(Change& change, const Kind& kind, WallMs now);

Result<Change> change_phase(const Record& before, const Kind& kind, const PhaseChanged& fact,
                            WallMs now);

}  // namespace drover::run
