#include "triggers/ledger/lookup.h"

#include "triggers/ledger/occurrence_row.h"

namespace drover::triggers {
namespace {

Result<std::optional<Occurrence>> first_of(const Result<store::Table>& rows) {
  if (!rows) return std::unexpected(rows.error());
  if (rows->empty()) return std::nullopt;
  return occurrence_in(rows->front());
}

const std::string kSelect = "SELECT " + std::string(kOccurrenceColumns) + " FROM occurrences ";

Result<std::optional<WallMs>> one_time(const Result<store::Table>& rows) {
  if (!rows) return std::unexpected(rows.error());
  if (rows->empty()) return std::nullopt;
  return rows->front()[0].integer();
}

}  // namespace

// Keys of due times sort like the times; keys of events begin with a letter, and sort after them.
Result<std::optional<Occurrence>> occurrence_between(store::Reads& store,
                                                     const std::string& trigger, WallMs from,
                                                     WallMs to) {
  return first_of(store.query(
      kSelect + "WHERE name = $1 AND ((due_at >= $2 AND due_at < $3) OR (key >= $4 AND key < $5) "
                "OR (count > 1 AND first_key < $5 AND key >= $4)) ORDER BY number DESC LIMIT 1",
      {trigger, from, to, due_time_key(from), due_time_key(to)}));
}

Result<OccurrenceTimes> occurrences_around(store::Reads& store, const std::string& trigger,
                                           WallMs from, WallMs to) {
  const auto before = one_time(store.query(
      "SELECT due_at FROM occurrences WHERE name = $1 AND due_at < $2 ORDER BY due_at DESC LIMIT 1",
      {trigger, from}));
  if (!before) return std::unexpected(before.error());
  const auto after = one_time(store.query(
      "SELECT due_at FROM occurrences WHERE name = $1 AND due_at >= $2 ORDER BY due_at LIMIT 1",
      {trigger, to}));
  if (!after) return std::unexpected(after.error());
  return OccurrenceTimes{*before, *after};
}

Result<std::optional<Occurrence>> oldest_occurrence(store::Reads& store,
                                                    const std::string& trigger) {
  return first_of(store.query(kSelect + "WHERE name = $1 ORDER BY number LIMIT 1", {trigger}));
}

}  // namespace drover::triggers
