// CompactionRounds keep the database small (store/compaction.h): some time after a run was removed,
// its events are replaced by one row of evidence; old idempotency keys and surplus events about
// other things are removed. Each step is one small write, with a pause before the next, so that
// other writes never wait for long.
//
// Lives on the daemon's loop.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstdint>
#include <functional>

#include "base/clock.h"
#include "base/limits.h"
#include "spine/spine.h"
#include "store/store.h"

namespace drover::dispatch {

namespace asio = boost::asio;

struct CompactionRule {
  std::int64_t events_ms = limits::kRemovedEventsMs;  // After the removal; 0: forever.
  std::int64_t keys_ms = limits::kKeyAgeMaxMs;        // After the submission; 0: forever.
  std::int64_t evidence_ms = 0;                       // After the finish; 0: forever.
  std::chrono::milliseconds every{60'000};
};

class CompactionRounds {
 public:
  // `read_by_all` returns the last event that every follower has read.
  CompactionRounds(CompactionRule rule, spine::Recorder record,
                   std::function<asio::awaitable<Result<std::int64_t>>()> read_by_all)
      : rule_(rule), record_(std::move(record)), read_by_all_(std::move(read_by_all)) {}

  // Runs one round, until nothing is left to compact.
  asio::awaitable<Result<>> compact(const Clock& clock);

  // Runs rounds forever.
  asio::awaitable<void> keep_compacting(const Clock& clock);

 private:
  // Steps of one sort, until nothing is left. Keeps events until they are `age_ms` old.
  asio::awaitable<Result<>> compact(store::Compacts what, std::int64_t age_ms, const Clock& clock);
  std::int64_t keys_age_ms() const;

  const CompactionRule rule_;
  const spine::Recorder record_;
  const std::function<asio::awaitable<Result<std::int64_t>>()> read_by_all_;
  WallMs keys_checked_at_ = 0;
};

}  // namespace drover::dispatch
