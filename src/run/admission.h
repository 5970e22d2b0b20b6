// Admission decides whether a run may wait in a lane, and whether it may have a slot now (R16).
// Pure.
#pragma once

#include "run/transition.h"

namespace drover::run {

// Refuses with `lane_reserved` or `lane_draining`. A composite waits in no lane, so the lane of its
// children is checked. That lane still admits children while it drains, so that active composites
// can finish; a new composite is refused.
Result<> admit(const Record& record, const JudgementContext& context);

// Refuses with `lane_paused` or `lane_full`.
Result<> give_slot(const Record& record, const JudgementContext& context);

}  // namespace drover::run
