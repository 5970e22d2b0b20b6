#include "triggers/stored_trigger.h"

#include "base/text.h"
#include "triggers/limits.h"

namespace drover::triggers {
namespace {

using store::Value;
using store::Values;

const std::string kSelect =
    "SELECT name, source, spec, origin, created_at, anchor, paused_at, next_slot, wake_at, errors, "
    "backoff_until, revision, minute, minute_events, zone_version FROM triggers ";

Value time_or_null(std::optional<WallMs> time) {
  return time ? Value(*time) : Value(nullptr);
}

std::optional<WallMs> time_in(const Value& value) {
  return value.is_null() ? std::nullopt : std::optional(value.integer());
}

StoredTrigger trigger_in(const Values& row) {
  return {.name = row[0].text(),
          .source = row[1].text(),
          .spec = row[2].text(),
          .origin = row[3].text(),
          .created_at = row[4].integer(),
          .anchor = row[5].integer(),
          .paused_at = row[6].integer(),
          .next_slot = time_in(row[7]),
          .wake_at = time_in(row[8]),
          .errors = row[9].integer(),
          .backoff_until = row[10].integer(),
          .revision = row[11].integer(),
          .minute = row[12].integer(),
          .minute_events = row[13].integer(),
          .zone_version = row[14].text()};
}

Result<std::vector<StoredTrigger>> all_in(Result<store::Table> rows) {
  if (!rows) return std::unexpected(rows.error());
  std::vector<StoredTrigger> out;
  out.reserve(rows->size());
  for (const Values& row : *rows) out.push_back(trigger_in(row));
  return out;
}

template <class From>
Result<StoredTrigger> find_in(From& from, const std::string& name) {
  auto rows = from.query(kSelect + "WHERE name = $1", {name});
  if (!rows) return std::unexpected(rows.error());
  if (rows->empty()) return no_such_trigger(name);
  return trigger_in(rows->front());
}

}  // namespace

std::unexpected<Error> no_such_trigger(std::string_view name) {
  return fail(ErrorCode::not_found, "not_found",
              "there is no trigger " + bounded(name, 64) + "; `drover trigger ls` lists them",
              "trigger");
}

Result<std::vector<StoredTrigger>> list_triggers(store::Reads& store, std::string_view after,
                                                 size_t limit) {
  return all_in(store.query(kSelect + "WHERE name > $1 ORDER BY name LIMIT $2", {after, limit}));
}

Result<std::vector<StoredTrigger>> triggers_of(store::Reads& store, std::string_view source) {
  return all_in(store.query(kSelect + "WHERE source = $1 ORDER BY name", {source}));
}

Result<std::vector<StoredTrigger>> declared_triggers(store::Reads& store) {
  return all_in(store.query(kSelect + "WHERE origin <> '' ORDER BY name", {}));
}

Result<StoredTrigger> find_trigger(store::Reads& store, const std::string& name) {
  return find_in(store, name);
}

Result<StoredTrigger> find_trigger(store::Transaction& transaction, const std::string& name) {
  return find_in(transaction, name);
}

Result<std::vector<StoredTrigger>> due_triggers(store::Reads& store, WallMs now, size_t limit) {
  return all_in(store.query(kSelect +
                                "WHERE paused_at = 0 AND wake_at IS NOT NULL AND wake_at <= $1 "
                                "ORDER BY wake_at, name LIMIT $2",
                            {now, limit}));
}

Result<std::vector<std::string>> zone_versions(store::Reads& store) {
  const auto rows =
      store.query("SELECT DISTINCT zone_version FROM triggers WHERE zone_version <> ''", {});
  if (!rows) return std::unexpected(rows.error());
  std::vector<std::string> out;
  for (const Values& row : *rows) out.push_back(row[0].text());
  return out;
}

Result<std::vector<StoredTrigger>> triggers_in_zone(store::Reads& store, const std::string& version,
                                                    size_t limit) {
  return all_in(
      store.query(kSelect + "WHERE zone_version = $1 AND zone_version <> '' ORDER BY name LIMIT $2",
                  {version, limit}));
}

Result<std::vector<StoredTrigger>> polls_after(store::Reads& store, WallMs time) {
  return all_in(store.query(
      kSelect + "WHERE source IN ('feed', 'page') AND wake_at > $1 ORDER BY name", {time}));
}

Result<std::optional<WallMs>> next_wake(store::Reads& store) {
  const auto rows = store.query(
      "SELECT wake_at FROM triggers WHERE paused_at = 0 AND wake_at IS NOT NULL "
      "ORDER BY wake_at LIMIT 1",
      {});
  if (!rows) return std::unexpected(rows.error());
  if (rows->empty()) return std::nullopt;
  return rows->front()[0].integer();
}

Result<ActiveTriggers> count_active(store::Reads& store) {
  const auto rows = store.query(
      "SELECT COUNT(*), MIN(CASE WHEN next_slot IS NULL THEN NULL ELSE wake_at END) FROM triggers "
      "WHERE paused_at = 0 AND (next_slot IS NOT NULL OR source NOT IN ('cron', 'every', 'once'))",
      {});
  if (!rows) return std::unexpected(rows.error());
  const Values& row = rows->front();
  return ActiveTriggers{.count = row[0].integer(), .next_at = time_in(row[1])};
}

Result<> insert_trigger(store::Transaction& transaction, const StoredTrigger& trigger) {
  const auto known = transaction.query("SELECT 1 FROM triggers WHERE name = $1", {trigger.name});
  if (!known) return std::unexpected(known.error());
  if (!known->empty()) {
    return fail(ErrorCode::conflict, "name_taken",
                "there is already a trigger " + trigger.name +
                    "; choose another name, or change it: drover trigger edit " + trigger.name,
                "name");
  }
  const auto count = transaction.query("SELECT COUNT(*) FROM triggers", {});
  if (!count) return std::unexpected(count.error());
  if (count->front()[0].integer() >= static_cast<std::int64_t>(kTriggersMax)) {
    return fail(ErrorCode::exhausted, "too_many_triggers",
                "there are " + std::to_string(kTriggersMax) +
                    " triggers already, the most that Drover keeps; remove some: drover trigger rm",
                "name");
  }
  return transaction.execute(
      "INSERT INTO triggers (name, source, spec, origin, created_at, anchor, paused_at, next_slot, "
      "wake_at, errors, backoff_until, revision, zone_version) "
      "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 0, 0, 1, $10)",
      {trigger.name, trigger.source, trigger.spec, trigger.origin, trigger.created_at,
       trigger.anchor, trigger.paused_at, time_or_null(trigger.next_slot),
       time_or_null(trigger.wake_at), trigger.zone_version});
}

Result<> update_trigger(store::Transaction& transaction, const StoredTrigger& trigger) {
  return transaction.execute(
      "UPDATE triggers SET source = $1, spec = $2, paused_at = $3, next_slot = $4, wake_at = $5, "
      "anchor = $6, errors = $7, backoff_until = $8, origin = $9, zone_version = $10, "
      "revision = revision + 1 WHERE name = $11",
      {trigger.source, trigger.spec, trigger.paused_at, time_or_null(trigger.next_slot),
       time_or_null(trigger.wake_at), trigger.anchor, trigger.errors, trigger.backoff_until,
       trigger.origin, trigger.zone_version, trigger.name});
}

Result<> set_next(store::Transaction& transaction, const std::string& name,
                  std::optional<WallMs> next_slot, std::optional<WallMs> wake_at) {
  return transaction.execute_without_event(
      "UPDATE triggers SET next_slot = $1, wake_at = $2 WHERE name = $3",
      {time_or_null(next_slot), time_or_null(wake_at), name});
}

Result<> count_event(store::Transaction& transaction, const StoredTrigger& trigger) {
  const std::int64_t minute = minute_of(transaction.now());
  const std::int64_t before = trigger.minute == minute ? trigger.minute_events : 0;
  return transaction.execute("UPDATE triggers SET minute = $1, minute_events = $2 WHERE name = $3",
                             {minute, before + 1, trigger.name});
}

Result<std::vector<StatePart>> state_of(store::Reads& store, const std::string& name) {
  const auto rows =
      store.query("SELECT part, state FROM trigger_states WHERE name = $1 ORDER BY part", {name});
  if (!rows) return std::unexpected(rows.error());
  std::vector<StatePart> out;
  for (const Values& row : *rows) out.push_back({row[0].integer(), row[1].text()});
  return out;
}

Result<> set_state(store::Transaction& transaction, const std::string& name,
                   const StatePart& part) {
  if (part.state.empty()) {
    return transaction.execute("DELETE FROM trigger_states WHERE name = $1 AND part = $2",
                               {name, part.part});
  }
  return transaction.execute(
      "INSERT INTO trigger_states (name, part, state) VALUES ($1, $2, $3) "
      "ON CONFLICT (name, part) DO UPDATE SET state = excluded.state",
      {name, part.part, part.state});
}

Result<> forget_state(store::Transaction& transaction, const std::string& name) {
  return transaction.execute("DELETE FROM trigger_states WHERE name = $1", {name});
}

Result<> delete_trigger(store::Transaction& transaction, const std::string& name) {
  for (const char* table :
       {"occurrences", "trigger_totals", "trigger_windows", "trigger_states", "triggers"}) {
    auto gone =
        transaction.execute("DELETE FROM " + std::string(table) + " WHERE name = $1", {name});
    if (!gone) return gone;
  }
  return {};
}

}  // namespace drover::triggers
