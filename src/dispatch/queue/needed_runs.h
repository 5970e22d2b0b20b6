// NeededRuns knows which runs are named in the plans of held runs (R17), whether they have finished
// or not. Retention keeps those runs. Lives on the daemon's loop.
#pragma once

#include <unordered_map>
#include <vector>

#include "base/id.h"
#include "run/record.h"

namespace drover::dispatch {

class NeededRuns {
 public:
  // Takes the record of a held run. Its plan never changes, so taking it again changes nothing.
  void add(const run::Record& waiter);
  // The run no longer waits.
  void forget(const RunId& waiter);

  bool has(const RunId& run) const { return counts_.contains(run); }

 private:
  std::unordered_map<RunId, std::vector<RunId>> by_waiter_;
  std::unordered_map<RunId, size_t> counts_;  // For each needed run: how often it is named.
};

}  // namespace drover::dispatch
