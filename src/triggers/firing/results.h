// The results follower reads how the runs of triggers finished. After failures the trigger waits
// before it fires again (time/backoff.h); a completed run ends the wait. A run that a person
// canceled counts as neither.
#pragma once

#include "follow/follower.h"

namespace drover::triggers {

follow::Follower results_follower();

}  // namespace drover::triggers
