#include "triggers/ledger/occurrence.h"

#include <array>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "base/text.h"
#include "triggers/ledger/limits.h"
#include "triggers/ledger/occurrence_row.h"

namespace drover::triggers {
namespace {

namespace json = boost::json;
using store::Values;

constexpr auto kNames =
    std::to_array<std::string_view>({"pending", "fired", "skipped", "coalesced", "missed"});

std::unexpected<Error> already_accounted(const std::string& trigger, const std::string& key) {
  return fail(ErrorCode::conflict, "already_accounted",
              "the ledger of " + trigger + " already has " + key, "trigger");
}

// Everybody who may read the trigger's runs may read its events.
Result<> append_event(store::Transaction& transaction, const std::string& trigger,
                      const Occurrence& occurrence) {
  json::object data{{"trigger", trigger},
                    {occurrence.is_scheduled() ? "slot" : "event_id", occurrence.key},
                    {"due_at", rfc3339(occurrence.due_at)},
                    {"outcome", name(occurrence.outcome)}};
  if (!occurrence.reason.empty()) data["reason"] = occurrence.reason;
  if (!occurrence.run_id.empty()) data["run_id"] = occurrence.run_id;
  if (occurrence.count > 1) data["count"] = occurrence.count;
  const std::string scope = "trigger/" + trigger;
  return transaction.append({.subject = scope,
                             .type = "trigger." + std::string(name(occurrence.outcome)),
                             .scope = scope,
                             .data = json::serialize(data)});
}

Result<> add_to_total(store::Transaction& transaction, const std::string& trigger,
                      const Occurrence& occurrence) {
  return transaction.execute(
      "INSERT INTO trigger_totals (name, outcome, count) VALUES ($1, $2, $3) "
      "ON CONFLICT (name, outcome) DO UPDATE SET count = trigger_totals.count + excluded.count",
      {trigger, name(occurrence.outcome), occurrence.count});
}

Result<std::int64_t> next_number(store::Transaction& transaction, const std::string& trigger) {
  const auto last = transaction.query(
      "SELECT number FROM occurrences WHERE name = $1 ORDER BY number DESC LIMIT 1", {trigger});
  if (!last) return std::unexpected(last.error());
  return last->empty() ? 1 : last->front()[0].integer() + 1;
}

// The event of a pending occurrence is whole: its run gets it.
void bound(Occurrence& occurrence) {
  occurrence.reason = bounded(occurrence.reason, kReasonBytesMax);
  if (occurrence.outcome != Outcome::pending && occurrence.event.size() > kStoredEventBytesMax)
    occurrence.event = R"({"truncated":true})";
}

}  // namespace

std::string_view name(Outcome outcome) {
  return kNames[static_cast<size_t>(outcome)];
}

Outcome outcome_named(std::string_view text) {
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == text) return static_cast<Outcome>(i);
  }
  return Outcome::missed;
}

std::string due_time_key(WallMs due_time) {
  return rfc3339(due_time);
}

Result<> add_occurrence(store::Transaction& transaction, const std::string& trigger,
                        Occurrence occurrence) {
  const auto known = transaction.query("SELECT 1 FROM occurrences WHERE name = $1 AND key = $2",
                                       {trigger, occurrence.key});
  if (!known) return std::unexpected(known.error());
  if (!known->empty()) return already_accounted(trigger, occurrence.key);
  const auto number = next_number(transaction, trigger);
  if (!number) return std::unexpected(number.error());
  bound(occurrence);
  auto added = transaction.execute(
      "INSERT INTO occurrences (name, key, due_at, outcome, reason, run_id, count, first_key, "
      "event, chain, decided_at, number) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, "
      "$12)",
      {trigger, occurrence.key, occurrence.due_at, name(occurrence.outcome), occurrence.reason,
       occurrence.run_id, occurrence.count, occurrence.first_key, occurrence.event,
       occurrence.chain, transaction.now(), *number});
  if (!added) return added;
  auto forgotten = transaction.execute(
      "DELETE FROM occurrences WHERE name = $1 AND number <= $2 AND outcome <> 'pending'",
      {trigger, *number - kOccurrencesKept});
  if (!forgotten) return forgotten;
  // The oldest few are enough: each new occurrence removes as many.
  auto aged = transaction.execute(
      "DELETE FROM occurrences WHERE name = $1 AND decided_at < $2 AND outcome <> 'pending' AND "
      "number < (SELECT MIN(number) FROM occurrences WHERE name = $1) + 4",
      {trigger, transaction.now() - kOccurrenceAgeMs});
  if (!aged) return aged;
  if (occurrence.outcome != Outcome::pending) {
    if (auto counted = add_to_total(transaction, trigger, occurrence); !counted) return counted;
  }
  return append_event(transaction, trigger, occurrence);
}

Result<> decide_occurrence(store::Transaction& transaction, const std::string& trigger,
                           Occurrence occurrence) {
  bound(occurrence);
  const auto open = transaction.query(
      "SELECT 1 FROM occurrences WHERE name = $1 AND key = $2 AND outcome = 'pending'",
      {trigger, occurrence.key});
  if (!open) return std::unexpected(open.error());
  if (open->empty()) return already_accounted(trigger, occurrence.key);
  auto decided = transaction.execute(
      "UPDATE occurrences SET outcome = $1, reason = $2, run_id = $3, decided_at = $4, event = $5 "
      "WHERE name = $6 AND key = $7",
      {name(occurrence.outcome), occurrence.reason, occurrence.run_id, transaction.now(),
       occurrence.event, trigger, occurrence.key});
  if (!decided) return decided;
  if (auto counted = add_to_total(transaction, trigger, occurrence); !counted) return counted;
  return append_event(transaction, trigger, occurrence);
}

Result<std::vector<Occurrence>> ledger(store::Reads& store, const LedgerQuery& query) {
  const std::int64_t before = query.before == 0 ? INT64_MAX : query.before;
  const auto rows = store.query("SELECT " + std::string(kOccurrenceColumns) +
                                    " FROM occurrences WHERE name = $1 AND number < $2 "
                                    "ORDER BY number DESC LIMIT $3",
                                {query.trigger, before, query.limit});
  if (!rows) return std::unexpected(rows.error());
  std::vector<Occurrence> out;
  for (const Values& row : *rows) out.push_back(occurrence_in(row));
  return out;
}

Result<std::optional<Occurrence>> find_occurrence(store::Reads& store, const std::string& trigger,
                                                  const std::string& key) {
  const auto rows = store.query("SELECT " + std::string(kOccurrenceColumns) +
                                    " FROM occurrences WHERE name = $1 AND key = $2",
                                {trigger, key});
  if (!rows) return std::unexpected(rows.error());
  if (rows->empty()) return std::nullopt;
  return occurrence_in(rows->front());
}

Result<std::vector<PendingKey>> pending(store::Reads& store, size_t limit,
                                        const PendingKey& after) {
  const auto rows = store.query(
      "SELECT due_at, name, key FROM occurrences WHERE outcome = 'pending' AND due_at >= $1 AND "
      "(due_at > $1 OR name > $2 OR (name = $2 AND key > $3)) ORDER BY due_at, name, key LIMIT $4",
      {after.due_at, after.trigger, after.key, limit});
  if (!rows) return std::unexpected(rows.error());
  std::vector<PendingKey> out;
  for (const Values& row : *rows) out.push_back({row[0].integer(), row[1].text(), row[2].text()});
  return out;
}

Result<LedgerTotals> totals(store::Reads& store, const std::string& trigger) {
  const auto rows =
      store.query("SELECT outcome, count FROM trigger_totals WHERE name = $1", {trigger});
  if (!rows) return std::unexpected(rows.error());
  LedgerTotals out;
  for (const Values& row : *rows) {
    switch (outcome_named(row[0].text())) {
      case Outcome::fired:
        out.fired = row[1].integer();
        break;
      case Outcome::skipped:
        out.skipped = row[1].integer();
        break;
      case Outcome::coalesced:
        out.coalesced = row[1].integer();
        break;
      case Outcome::missed:
        out.missed = row[1].integer();
        break;
      case Outcome::pending:
        break;
    }
  }
  return out;
}

}  // namespace drover::triggers
