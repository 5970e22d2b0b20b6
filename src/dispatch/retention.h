// Retention removes finished runs that are too many or too old (R9). It removes them through the
// dispatcher, as a person would; their events stay in the log.
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
  std::int64_t count_max = limits::kFinishedPerScopeMax;  // Per scope; 0: any number.
  std::int64_t age_max_ms = limits::kFinishedAgeMaxMs;    // 0: any age.
  std::chrono::milliseconds every{60'000};
};

// Runs one round: returns how many runs were removed, at most a page. Never touches active runs.
asio::awaitable<Result<size_t>> prune(RetentionRule rule, const Clock& clock, store::Store& store,
                                      RunDispatcher& dispatcher);

// Runs rounds for ever. Everything borrowed must outlive the loop.
asio::awaitable<void> keep_pruning(RetentionRule rule, const Clock& clock, store::Store& store,
                                   RunDispatcher& dispatcher);

}  // namespace drover::dispatch
