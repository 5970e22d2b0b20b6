// An Epoch is the stretch of event numbers that one daemon gave. A cursor names the epoch of its
// event, so that it stays exact after an older database was restored: the numbers after the
// restored end are then of other epochs, and a cursor of a lost epoch is detected. Pure.
//
// The daemon's epochs are known when the store is opened, and do not change until the next start:
// the last one begins with the next number.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace drover::store {

struct Epoch {
  std::string name;
  std::int64_t first_seq = 1;
  // The last event before it in this log. Numbers between `follows` and `first_seq` were given to
  // events that are lost: an older database was restored.
  std::int64_t follows = 0;
};

// A position in the log as its reader states it. A person may leave out the epoch.
struct Position {
  std::int64_t seq = 0;
  std::string_view epoch = {};
};

// Whether the log continues at a position. If not, `resume_at` is the last event that both the
// reader and this log are known to share: reading on from there skips nothing.
struct PositionVerdict {
  bool valid = true;
  std::int64_t resume_at = 0;
};

class Epochs {
 public:
  Epochs() = default;
  // In order. At most limits::kEpochsMax are kept; `pruned`: there were older ones.
  explicit Epochs(std::vector<Epoch> all, bool pruned = false)
      : all_(std::move(all)), pruned_(pruned) {}

  // The epoch that an event belongs to; empty: it is older than the first that is kept.
  std::string_view of(std::int64_t seq) const;

  // `last_seq` is the end of the log. Knows nothing of compaction: the caller compares `resume_at`
  // with Reads::compacted_through (api/stream/cursor.cc).
  PositionVerdict judge(const Position& position, std::int64_t last_seq) const;

 private:
  // The last event of all_[index] in this log.
  std::int64_t end_of(size_t index, std::int64_t last_seq) const;
  // The last event that every lost epoch shares with this log.
  std::int64_t shared() const;

  std::vector<Epoch> all_;
  bool pruned_ = false;
};

}  // namespace drover::store
