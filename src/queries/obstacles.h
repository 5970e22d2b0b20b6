// An Obstacle is one reason why a queued run is not running yet, as a sentence and as data (R16,
// R17). Pure: maps the run's record and its QueueContext to obstacles. Lists every obstacle that
// applies, so that removing one reveals no further one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "run/waiting.h"
#include "store/store.h"

namespace drover::queries {

struct QueueContext {
  store::Lane lane;
  std::vector<RunId> slot_holders;  // Some of the runs that hold the lane's slots, oldest first.
  std::optional<size_t> ahead;      // How many runs go before it; empty: it is in no queue.
  std::vector<run::Dependency> dependencies;
  WallMs now = 0;
  // The caller may not learn how much others have in the lane: no numbers.
  bool hides_others = false;
};

struct Obstacle {
  std::string kind;  // dependency, backoff, lane_paused, lane_full, queue (why.cc: unknown_kind)
  std::string text;
  std::vector<RunId> runs = {};  // The runs that cause it.
  WallMs time = 0;               // Since when, or until when; 0: not applicable.
};

std::vector<Obstacle> obstacles(const run::Record& record, const QueueContext& around);

}  // namespace drover::queries
