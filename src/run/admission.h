// Admission is what a lane says to a run that comes (R16): whether it may wait there, and whether
// it may have a slot now. Pure.
#pragma once

#include "run/transition.h"

namespace drover::run {

// `lane_reserved`, or `lane_draining`. Of a composite, which stands in no lane, the lane of its
// children is asked: what has begun may finish there, so the composite itself is turned away.
Result<> admit(const Record& record, const JudgementContext& moment);

// `lane_paused`, or `lane_full`.
Result<> give_slot(const Record& record, const JudgementContext& moment);

}  // namespace drover::run
