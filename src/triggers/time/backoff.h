// Backoff is the time that a trigger waits after failed runs, so that work that cannot succeed does
// not fail once a minute. Afterwards the trigger fires at the next due time of its schedule, never
// earlier than the schedule says. Pure.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace drover::triggers {

// For the number of runs that failed in a row: 30 s, 1 m, 5 m, 15 m, then always 60 m. None failed:
// 0.
constexpr std::int64_t backoff_ms(int consecutive_errors) {
  constexpr auto kSteps =
      std::to_array<std::int64_t>({30'000, 60'000, 5 * 60'000, 15 * 60'000, 60 * 60'000});
  if (consecutive_errors <= 0) return 0;
  return kSteps[std::min(static_cast<size_t>(consecutive_errors), kSteps.size()) - 1];
}

}  // namespace drover::triggers
