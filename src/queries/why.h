// Why a queued run is not running: what is known of it and of its surroundings now, gathered from
// the store and the dispatcher and judged (obstacles.h). Lives on the daemon's loop.
#pragma once

#include "access/grant.h"
#include "base/clock.h"
#include "dispatch/dispatcher.h"
#include "queries/obstacles.h"

namespace drover::queries {

// Whom to ask. Everything is borrowed for the time of the call.
struct WhySources {
  store::Store& store;
  dispatch::Dispatcher& dispatcher;
  const Clock& clock;
};

struct WhyQueued {
  std::optional<size_t> ahead;  // How many go before it; nothing: it stands in no queue.
  std::vector<Obstacle> obstacles;
};

// What the store knows of a run's surroundings: all but `ahead` and `now`. Of the runs that hold
// its slots only those are named that the caller can see.
Result<QueueContext> look_around(store::Store& store, const access::Grant& grant,
                                 const run::Record& record);

// The whole answer.
Result<WhyQueued> why_queued(const WhySources& sources, const access::Grant& grant,
                             const run::Record& record);

}  // namespace drover::queries
