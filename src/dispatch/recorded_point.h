// The recorded points are the crash points (base/crash_point.h) between a commit and what the
// dispatcher does about it: `submit.recorded`, `claim.recorded` and so on, told apart by the first
// event of the commit.
#pragma once

#include "store/store.h"

namespace drover::dispatch {

// Passes the crash point of this commit, before anything is done about it.
void pass_recorded_point(const store::Written& written);

}  // namespace drover::dispatch
