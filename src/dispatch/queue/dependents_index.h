// The reverse index of dependencies (R17): for each run, the runs that wait for it. It is asked
// once for every finished run, and is empty while no run waits. Its answer only suggests that a run
// should be reviewed; the store then checks the dependencies itself. Lives on the daemon's loop.
#pragma once

#include <unordered_map>
#include <vector>

#include "base/id.h"
#include "run/record.h"
#include "store/dependencies.h"

namespace drover::dispatch {

class DependentsIndex {
 public:
  bool knows(const RunId& waiter) const { return open_.contains(waiter); }

  // `waiter` waits until `other` finishes, or completes if `must_complete` is set.
  void add(const RunId& waiter, const RunId& other, bool must_complete);
  // It no longer waits.
  void forget(const RunId& waiter);

  // A run has finished: returns the runs that now have nothing left to wait for, or can never
  // start. If the finished run is retried, its waiters wait for the next attempt.
  std::vector<RunId> ended(const run::Record& record) {
    return ended(record.id, store::dependency_status(record));
  }
  // The same for a run that is known by its status alone.
  std::vector<RunId> ended(const RunId& id, const store::DependencyStatus& status);

 private:
  using Waiters = std::unordered_map<RunId, bool>;  // Each with must_complete.

  std::unordered_map<RunId, Waiters> by_other_;
  // For each waiter: the active runs it waits for.
  std::unordered_map<RunId, std::vector<RunId>> open_;
};

}  // namespace drover::dispatch
