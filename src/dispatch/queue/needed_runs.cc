#include "dispatch/queue/needed_runs.h"

namespace drover::dispatch {

void NeededRuns::add(const run::Record& waiter) {
  if (!waiter.waits_for_others()) return;
  const auto [entry, added] = by_waiter_.try_emplace(waiter.id);
  if (!added) return;
  std::vector<RunId>& named = entry->second;
  named = waiter.after;
  named.insert(named.end(), waiter.after_any.begin(), waiter.after_any.end());
  for (const RunId& run : named) ++counts_[run];
}

void NeededRuns::forget(const RunId& waiter) {
  const auto entry = by_waiter_.extract(waiter);
  if (!entry) return;
  for (const RunId& run : entry.mapped()) {
    const auto count = counts_.find(run);
    if (--count->second == 0) counts_.erase(count);
  }
}

}  // namespace drover::dispatch
