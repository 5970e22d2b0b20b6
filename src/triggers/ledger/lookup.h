// Lookups find occurrences in the ledger by time: that of a due time, and those around it. A
// trigger has a bounded number of occurrences, so these queries read them all.
#pragma once

#include <optional>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "store/reads.h"
#include "triggers/ledger/occurrence.h"

namespace drover::triggers {

// The newest occurrence whose due time, with or without its jitter, lies from `from` to before
// `to`; or which stands for many due times, from one before `to` to one after `from`.
Result<std::optional<Occurrence>> occurrence_between(store::Reads& store,
                                                     const std::string& trigger, WallMs from,
                                                     WallMs to);

// When the nearest occurrences before `from`, and at or after `to`, were due.
struct OccurrenceTimes {
  std::optional<WallMs> before;
  std::optional<WallMs> after;
};
Result<OccurrenceTimes> occurrences_around(store::Reads& store, const std::string& trigger,
                                           WallMs from, WallMs to);

// The occurrence that was added first, of those that are kept.
Result<std::optional<Occurrence>> oldest_occurrence(store::Reads& store,
                                                    const std::string& trigger);

}  // namespace drover::triggers
