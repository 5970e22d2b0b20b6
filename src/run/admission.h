// Admission is what a lane says to a run that comes (R16): whether it may wait there, and whether
// it may have a slot now. Pure.
#pragma once

#include "run/transition.h"

namespace drover::run {

// `lane_reserved`, or `lane_draining`. Of a play, which stands in no lane, its runs' lane is asked:
// what it has begun it may finish there, so this is where it is turned away.
Result<> admit(const Record& record, const Moment& moment);

// `lane_paused`, or `lane_full`.
Result<> give_slot(const Record& record, const Moment& moment);

}  // namespace drover::run
