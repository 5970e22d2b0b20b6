#include "dispatch/queue/waits.h"

#include <algorithm>

namespace drover::dispatch {

void Waits::add(const RunId& waiter, const RunId& other, bool must_complete) {
  const auto [entry, added] = by_other_[other].try_emplace(waiter, must_complete);
  entry->second = entry->second || must_complete;
  if (added) open_[waiter].push_back(other);
}

void Waits::forget(const RunId& waiter) {
  const auto open = open_.extract(waiter);
  if (!open) return;
  for (const RunId& other : open.mapped()) {
    const auto waiters = by_other_.find(other);
    if (waiters == by_other_.end()) continue;
    waiters->second.erase(waiter);
    if (waiters->second.empty()) by_other_.erase(waiters);
  }
}

std::vector<RunId> Waits::ended(const run::Record& record) {
  std::vector<RunId> affected;
  if (by_other_.empty()) return affected;
  const auto waiters = by_other_.extract(record.id);
  if (!waiters) return affected;
  const auto next = RunId::parse(record.retried_by);
  for (const auto& [waiter, must_complete] : waiters.mapped()) {
    std::vector<RunId>& open = open_[waiter];
    std::erase(open, record.id);
    if (next) {
      add(waiter, *next, must_complete);
    } else if (open.empty() || (must_complete && record.state != run::State::completed)) {
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
