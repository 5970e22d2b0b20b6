// The follower that learns how a trigger's runs finished. After failures the trigger waits before
// it fires again (time/backoff.h); a run that completes ends that. A person's cancel is neither.
#pragma once

#include "follow/follower.h"

namespace drover::triggers {

follow::Follower results_follower();

}  // namespace drover::triggers
