// The firing steps are the commits by which the due times of one trigger are recorded, in order:
// each has at most one run, the occurrences of the due times before it, and the trigger's position
// behind them. A crash between two steps leaves a position from which the next daemon continues.
// Pure.
#pragma once

#include <vector>

#include "triggers/firing/firing.h"

namespace drover::triggers {

// A step whose occurrence has the outcome `fired` starts a run; one without a key only writes the
// occurrences beside it. Nothing is due: no steps, unless the position has to move. The reasons of
// late due times say whether they passed before `daemon_began`, when this daemon started.
std::vector<FiringRequest> steps_for(const StoredTrigger& trigger, const TriggerSpec& spec,
                                     WallMs now, WallMs daemon_began);

// The trigger's number for its jitter: triggers with one schedule spread.
std::uint64_t seed_of(const StoredTrigger& trigger);

// The version of the zone that its due times depend on; empty: they depend on none.
std::string zone_version_of(const TriggerSpec& spec);

// Where a schedule stands after `time`.
Position position_after(const TriggerSpec& spec, const StoredTrigger& trigger, WallMs time);

}  // namespace drover::triggers
