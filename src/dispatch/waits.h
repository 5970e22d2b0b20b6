// Waits are who waits for whom (R17), as the loop sees it: asked once for every end, so it is a
// look into an empty table as long as nobody waits. What it says is only a hint that a run should
// be reviewed; the store finds out itself how the others stand. Lives on the daemon's loop.
#pragma once

#include <unordered_map>
#include <vector>

#include "base/id.h"
#include "run/record.h"

namespace drover::dispatch {

class Waits {
 public:
  bool knows(const RunId& waiter) const { return open_.contains(waiter); }

  // `waiter` waits for the end of `other`; for its success, if that must be.
  void add(const RunId& waiter, const RunId& other, bool must_complete);
  // It waits no more.
  void forget(const RunId& waiter);

  // A run has ended: those that now have nothing left to wait for, or wait in vain. Whoever waits
  // for one that is tried again waits for the next attempt.
  std::vector<RunId> ended(const run::Record& record);

 private:
  using Waiters = std::unordered_map<RunId, bool>;  // Each with must_complete.

  std::unordered_map<RunId, Waiters> by_other_;
  std::unordered_map<RunId, std::vector<RunId>> open_;  // Of each waiter: the others, still active.
};

}  // namespace drover::dispatch
