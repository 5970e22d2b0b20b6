// The bounds of the ledger, each with its reason.
#pragma once

#include <cstddef>
#include <cstdint>

namespace drover::triggers {

// Rows of one trigger; older ones are removed, and their totals stay. A trigger that fires every
// ten seconds is accounted for over almost three hours, a nightly one for more than two years.
inline constexpr std::int64_t kOccurrencesKept = 1'000;
// Rows that are older are removed when the trigger gets a new one: three years, since nobody asks
// why something did not run before that.
inline constexpr std::int64_t kOccurrenceAgeMs = 3LL * 366 * 86'400'000;
// An event in the ledger: enough for the envelope and a small payload. A larger payload is in the
// run's own file.
inline constexpr size_t kStoredEventBytesMax = 16 * 1024;
inline constexpr size_t kReasonBytesMax = 500;

}  // namespace drover::triggers
