#include "dispatch/files/page_readers.h"

#include <algorithm>

namespace drover::dispatch {
namespace {

constexpr MonoNs kKeptNs = 3'600LL * 1'000'000'000;  // A person with a pager may have lunch.
constexpr size_t kRunsMax = 1'024;                   // A loop of requests must not grow the daemon.

}  // namespace

void PageReaders::remember(const RunId& run) {
  if (until_.size() >= kRunsMax && !until_.contains(run)) make_room();
  until_[run] = clock_.mono_ns() + kKeptNs;
}

bool PageReaders::has(const RunId& run) const {
  const auto found = until_.find(run);
  return found != until_.end() && clock_.mono_ns() < found->second;
}

// Forgets the runs whose time is over, or else the one that was read least recently.
void PageReaders::make_room() {
  const MonoNs now = clock_.mono_ns();
  std::erase_if(until_, [&](const auto& entry) { return entry.second <= now; });
  if (until_.size() < kRunsMax) return;
  until_.erase(
      std::ranges::min_element(until_, {}, [](const auto& entry) { return entry.second; }));
}

}  // namespace drover::dispatch
