// How an Occurrence stands in its table: the columns that queries of the ledger select, and the
// occurrence in such a row.
#pragma once

#include <cstddef>
#include <string_view>

#include "store/transaction.h"
#include "triggers/ledger/occurrence.h"

namespace drover::triggers {

inline constexpr std::string_view kOccurrenceColumns =
    "key, due_at, outcome, reason, run_id, count, first_key, event, chain, decided_at, number";

// `at` is the index of the first of these columns.
Occurrence occurrence_in(const store::Values& row, size_t at = 0);

}  // namespace drover::triggers
