// Lanes are named FIFO queues with a limit (R16). This is the loop's view of them, made of nothing
// but the records it has been shown: showing one twice changes nothing, and there is no counter to
// leak. The store decides again, inside the transaction that claims.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/id.h"
#include "run/record.h"

namespace drover::dispatch {

class Lanes {
 public:
  void set_limit(const std::string& lane, std::int64_t limit) { lanes_[lane].limit = limit; }

  // Files a record where its state says it belongs.
  void see(const run::Record& record);
  // A claim that was refused: the run waits again, if it is still there.
  void unpick(const RunId& id);

  // The runs that may be claimed now, oldest first in each lane. They count as active until they
  // are seen or unpicked.
  std::vector<RunId> pick();

  size_t active() const;
  size_t queued() const;

 private:
  struct Place {
    std::string lane;
    std::int64_t number = 0;
  };
  struct Lane {
    std::int64_t limit = 0;
    std::map<std::int64_t, RunId> waiting;  // By order of submission.
    std::unordered_set<RunId> active;
  };
  Lane& lane_named(const std::string& name);

  std::map<std::string, Lane> lanes_;
  std::unordered_map<RunId, Place> picked_;
};

}  // namespace drover::dispatch
