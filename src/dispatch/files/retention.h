// Retention removes finished runs that are too many or too old (R9). It removes them through the
// dispatcher, as a person would; their evidence stays.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstdint>
#include <set>

#include "base/clock.h"
#include "base/limits.h"
#include "bus/bell.h"
#include "dispatch/files/page_readers.h"
#include "dispatch/run_dispatcher.h"
#include "store/read_pool.h"

namespace drover::dispatch {

struct RetentionRule {
  std::int64_t count_max = limits::kFinishedPerScopeMax;  // Per scope; 0: any number.
  std::int64_t age_max_ms = limits::kFinishedAgeMaxMs;    // 0: any age.
  std::chrono::milliseconds every{60'000};
};

class Retention {
 public:
  // Everything borrowed must outlive it. `page_readers` may be null: there are none.
  Retention(RetentionRule rule, store::ReadPool& reads, const bus::Bell& bell,
            RunDispatcher& dispatcher, const PageReaders* page_readers = nullptr)
      : rule_(rule),
        reads_(reads),
        bell_(bell),
        dispatcher_(dispatcher),
        page_readers_(page_readers) {}

  // Runs one round: returns how many runs were removed, at most a page of each rule and scope.
  // Never removes an active run, nor one in use (in_use.h). A run that cannot be removed is logged
  // once and skipped until the next round; only a store that is unavailable is an error.
  asio::awaitable<Result<size_t>> prune(const Clock& clock);

  // Runs rounds forever.
  asio::awaitable<void> keep_pruning(const Clock& clock);

 private:
  // The first runs of the query that are not in use, at most a page. Looks at `most` runs at most.
  asio::awaitable<Result<std::vector<run::Record>>> find_unused(store::Query query, size_t most);
  asio::awaitable<Result<size_t>> remove(Result<std::vector<run::Record>> unused);
  void set_aside(const RunId& id, const Error& error);

  const RetentionRule rule_;
  store::ReadPool& reads_;
  const bus::Bell& bell_;
  RunDispatcher& dispatcher_;
  const PageReaders* page_readers_;
  std::set<RunId> stuck_;     // Cannot be removed; tried again in the next round.
  std::set<RunId> reported_;  // In the log.
};

}  // namespace drover::dispatch
