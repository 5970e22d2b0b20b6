// Answers why a queued run is not running: collects the state of the run, its lane and its
// dependencies from the store and the dispatcher, and lists the obstacles (obstacles.h). Lives on
// the daemon's loop.
#pragma once

#include "access/grant.h"
#include "base/clock.h"
#include "dispatch/dispatcher.h"
#include "queries/obstacles.h"

namespace drover::queries {

// The sources of the answer. All references are borrowed for the duration of the call.
struct WhySources {
  store::Store& store;
  dispatch::Dispatcher& dispatcher;
  const Clock& clock;
};

struct WhyQueued {
  std::optional<size_t> ahead;  // How many runs go before it; empty: it is in no queue.
  std::vector<Obstacle> obstacles;
};

// The part of a run's QueueContext that the store knows: everything except `ahead` and `now`. Of
// the runs that hold the lane's slots, it names only those that the caller can see.
Result<QueueContext> read_queue_context(store::Store& store, const access::Grant& grant,
                                        const run::Record& record);

Result<WhyQueued> why_queued(const WhySources& sources, const access::Grant& grant,
                             const run::Record& record);

}  // namespace drover::queries
