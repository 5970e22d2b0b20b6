#include "store/epochs.h"

#include <algorithm>

namespace drover::store {

std::string_view Epochs::of(std::int64_t seq) const {
  const auto after = std::ranges::upper_bound(all_, seq, {}, &Epoch::first_seq);
  return after == all_.begin() ? std::string_view() : std::string_view(std::prev(after)->name);
}

PositionVerdict Epochs::judge(const Position& position, std::int64_t last_seq) const {
  const auto resume = [](std::int64_t at) { return PositionVerdict{false, at}; };
  if (position.epoch.empty()) {
    return position.seq <= last_seq ? PositionVerdict{true, position.seq} : resume(last_seq);
  }
  const auto known = std::ranges::find(all_, position.epoch, &Epoch::name);
  if (known == all_.end()) {
    // An epoch that was kept once: its numbers are lower than all that are kept now.
    const bool is_older = pruned_ && position.seq < all_.front().first_seq;
    if (is_older) return {true, position.seq};
    return resume(std::min(position.seq, shared()));
  }
  const auto index = static_cast<size_t>(known - all_.begin());
  const std::int64_t end = end_of(index, last_seq);
  return position.seq <= end ? PositionVerdict{true, position.seq} : resume(end);
}

std::int64_t Epochs::end_of(size_t index, std::int64_t last_seq) const {
  return index + 1 < all_.size() ? all_[index + 1].follows : last_seq;
}

// A lost epoch left this log where an older database was restored, at the earliest of such places.
// If none is known, nothing is known to be shared.
std::int64_t Epochs::shared() const {
  for (const Epoch& epoch : all_) {
    if (epoch.first_seq > epoch.follows + 1) return epoch.follows;
  }
  return 0;
}

}  // namespace drover::store
