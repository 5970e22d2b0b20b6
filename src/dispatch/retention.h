// Retention removes ended runs that are too many or too old (R9). It asks the dispatcher to remove
// them, as a person would; their evidence stays on the spine.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstdint>

#include "base/clock.h"
#include "base/limits.h"
#include "dispatch/run_dispatcher.h"
#include "store/store.h"

namespace drover::dispatch {

struct RetentionRule {
  std::int64_t count_max = limits::kTerminalPerScopeMax;  // Per scope; 0: any number.
  std::int64_t age_max_ms = limits::kTerminalAgeMaxMs;    // 0: any age.
  std::chrono::milliseconds every{60'000};
};

// One round: returns how many were removed, at most a page. Active runs are never touched.
asio::awaitable<Result<size_t>> prune(RetentionRule rule, const Clock& clock, store::Store& store,
                                      RunDispatcher& dispatcher);

// Rounds for ever. What it borrows must outlive the loop.
asio::awaitable<void> keep_pruning(RetentionRule rule, const Clock& clock, store::Store& store,
                                   RunDispatcher& dispatcher);

}  // namespace drover::dispatch
