// The recorded points are the crash points (base/crash_point.h) between a commit and the
// dispatcher's reaction to it: `submit.recorded`, `claim.recorded` and so on, selected by the first
// event of the commit.
#pragma once

#include "store/store.h"

namespace drover::dispatch {

// Passes the crash point of this commit; call it before reacting to the commit.
void pass_recorded_point(const store::Written& written);

}  // namespace drover::dispatch
