// Why a queued run is not running: everything that stands in its way, in words and in data (R16,
// R17). Pure: what is known of its surroundings in, obstacles out. Several may hold at once, and
// all are told: taking one away is then no surprise.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "run/waiting.h"
#include "store/store.h"

namespace drover::queries {

struct QueueContext {
  store::Lane lane;
  std::vector<RunId> slot_holders;  // Some of those that hold its slots, the oldest first.
  std::optional<size_t> ahead;      // How many go before it; nothing: it stands in no queue.
  std::vector<run::Dependency> dependencies;
  WallMs now = 0;
};

struct Obstacle {
  std::string kind;  // dependency, backoff, lane_paused, lane_full, queue (why.cc: unknown_kind)
  std::string text;
  std::vector<RunId> runs = {};  // Whom it is about.
  WallMs time = 0;               // Since when, or until when; 0: it does not matter.
};

std::vector<Obstacle> obstacles(const run::Record& record, const QueueContext& around);

}  // namespace drover::queries
