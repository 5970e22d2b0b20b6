// Answers why a queued run is not running: collects the state of the run, its lane and its
// dependencies from the store and the dispatcher, and lists the obstacles (obstacles.h).
#pragma once

#include "access/grant.h"
#include "base/clock.h"
#include "dispatch/dispatcher.h"
#include "queries/obstacles.h"

namespace drover::queries {

struct WhyQueued {
  // How many runs go before it; empty: it is in no queue, or the caller cannot see every run.
  std::optional<size_t> ahead;
  std::vector<Obstacle> obstacles;
};

// The part of a run's QueueContext that the store knows: everything except `ahead` and `now`. Of
// the runs that hold the lane's slots, it names only those that the caller can see.
Result<QueueContext> read_queue_context(store::Reads& store, const access::Grant& grant,
                                        const run::Record& record);

// Adds the rest, on the daemon's loop.
WhyQueued why_queued(QueueContext context, dispatch::Dispatcher& dispatcher, const Clock& clock,
                     const run::Record& record);

}  // namespace drover::queries
