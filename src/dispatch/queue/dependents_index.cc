#include "dispatch/queue/dependents_index.h"

#include <algorithm>

namespace drover::dispatch {

void DependentsIndex::add(const RunId& waiter, const RunId& other, bool must_complete) {
  const auto [entry, added] = by_other_[other].try_emplace(waiter, must_complete);
  entry->second = entry->second || must_complete;
  if (added) open_[waiter].push_back(other);
}

void DependentsIndex::forget(const RunId& waiter) {
  const auto open = open_.extract(waiter);
  if (!open) return;
  for (const RunId& other : open.mapped()) {
    const auto waiters = by_other_.find(other);
    if (waiters == by_other_.end()) continue;
    waiters->second.erase(waiter);
    if (waiters->second.empty()) by_other_.erase(waiters);
  }
}

std::vector<RunId> DependentsIndex::ended(const RunId& id, const store::DependencyStatus& status) {
  std::vector<RunId> affected;
  if (by_other_.empty()) return affected;
  const auto waiters = by_other_.extract(id);
  if (!waiters) return affected;
  const auto next = RunId::parse(status.retried_by);
  for (const auto& [waiter, must_complete] : waiters.mapped()) {
    std::vector<RunId>& open = open_[waiter];
    std::erase(open, id);
    if (next) {
      add(waiter, *next, must_complete);
    } else if (open.empty() || (must_complete && status.state != run::State::completed)) {
      affected.push_back(waiter);
    }
  }
  // If the store says that one of them keeps waiting, its dependencies are indexed again: one of
  // them may have been retried since.
  for (const RunId& waiter : affected) forget(waiter);
  std::ranges::sort(affected);  // Oldest first, whatever the table's order.
  return affected;
}

}  // namespace drover::dispatch
