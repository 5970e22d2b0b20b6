#include "triggers/time_changes.h"

#include <boost/json/serialize.hpp>

#include "log/log.h"
#include "triggers/limits.h"
#include "triggers/poll/limits.h"
#include "triggers/poll/poll_plan.h"
#include "triggers/slot_rows.h"

namespace drover::triggers {
namespace {

// The latest due time that the ledger has, or the time before which there was none.
Result<WallMs> decided_until(store::Transaction& transaction, const StoredTrigger& trigger) {
  const auto rows = transaction.query(
      "SELECT key FROM occurrences WHERE name = $1 AND event = '' ORDER BY number DESC LIMIT 1",
      {trigger.name});
  if (!rows) return std::unexpected(rows.error());
  const auto newest =
      rows->empty() ? Result<WallMs>(0) : parse_time(rows->front()[0].text(), "slot");
  return std::max(newest.value_or(0), std::max(trigger.anchor, trigger.created_at));
}

Result<> reschedule(store::Transaction& transaction, const StoredTrigger& read) {
  auto trigger = find_trigger(transaction, read.name);
  if (!trigger)
    return trigger.error().code == ErrorCode::not_found ? Result<>{}
                                                        : std::unexpected(trigger.error());
  if (trigger->zone_version != read.zone_version) return {};
  const auto spec = read_spec(trigger->spec, trigger->anchor);
  if (!spec) return std::unexpected(spec.error());
  const auto decided = decided_until(transaction, *trigger);
  if (!decided) return std::unexpected(decided.error());
  const auto before = trigger->next_slot;
  const Position next = position_after(*spec, *trigger, *decided);
  auto moved = transaction.execute(
      "UPDATE triggers SET next_slot = $1, wake_at = $2, zone_version = $3 WHERE name = $4",
      {next.next_slot ? store::Value(*next.next_slot) : store::Value(nullptr),
       next.wake_at ? store::Value(*next.wake_at) : store::Value(nullptr), zone_version_of(*spec),
       trigger->name});
  if (!moved) return moved;
  boost::json::object data{{"trigger", trigger->name}};
  if (before) data["before"] = rfc3339(*before);
  if (next.next_slot) data["slot_at"] = rfc3339(*next.next_slot);
  return transaction.append({.subject = "trigger/" + trigger->name,
                             .type = "trigger.rescheduled",
                             .scope = scope_of(trigger->name),
                             .data = boost::json::serialize(data)});
}

}  // namespace

asio::awaitable<Result<>> TimeChanges::look() {
  const WallMs now = clock_.wall_ms();
  const WallMs epoch = now - clock_.mono_ns() / 1'000'000;
  const bool is_set_back = epoch_ == 0 || epoch < epoch_ - kClockSetBackMs;
  if (is_set_back) {
    if (auto ok = co_await hasten_polls(); !ok) co_return ok;
  }
  epoch_ = epoch;
  if (now >= zones_at_ || zones_at_ > now + kZonesAgainMs) {
    if (auto ok = co_await follow_zones(); !ok) co_return ok;
    zones_at_ = now + kZonesAgainMs;
  }
  co_return Result<>{};
}

asio::awaitable<Result<>> TimeChanges::follow_zones() {
  const auto changed = co_await reads_.ask(
      store::daemon_itself(), [](store::Reads& store) -> Result<std::vector<std::string>> {
        auto versions = zone_versions(store);
        if (!versions) return versions;
        for (const std::string& version : *versions) {
          (void)find_zone(version.substr(0, version.find(' ')));  // Known from now on.
        }
        reread_zones();
        std::erase_if(*versions, [](const std::string& version) {
          const auto zone = find_zone(version.substr(0, version.find(' ')));
          return !zone || zone->version() == version;
        });
        return versions;
      });
  if (!changed) co_return std::unexpected(changed.error());
  for (const std::string& version : *changed) {
    log::info("the tz database has changed: {}", version.substr(0, version.find(' ')));
    if (auto ok = co_await follow_zone(version); !ok) co_return ok;
  }
  co_return Result<>{};
}

asio::awaitable<Result<>> TimeChanges::follow_zone(std::string version) {
  for (;;) {
    const auto triggers =
        co_await reads_.ask(store::daemon_itself(), [version](store::Reads& store) {
          return triggers_in_zone(store, version, kAcceptedPerWork);
        });
    if (!triggers) co_return std::unexpected(triggers.error());
    if (triggers->empty()) co_return Result<>{};
    auto moved = co_await record_(
        store::Work([triggers = *triggers](store::Transaction& transaction) -> Result<> {
          for (const StoredTrigger& trigger : triggers) {
            if (auto ok = reschedule(transaction, trigger); !ok) return ok;
          }
          return {};
        }));
    if (!moved) {
      // Only a spec that this release cannot read is refused; the timetable reports it.
      if (moved.error().code == ErrorCode::unavailable) co_return std::unexpected(moved.error());
      log::error("the tz database has changed: {}", moved.error().message);
      co_return Result<>{};
    }
  }
}

asio::awaitable<Result<>> TimeChanges::hasten_polls() {
  const WallMs now = clock_.wall_ms();
  const WallMs longest = now + kPollWishMaxMs + kPollJitterMaxMs;
  const auto late = co_await reads_.ask(store::daemon_itself(), [longest](store::Reads& store) {
    return polls_after(store, longest);
  });
  if (!late) co_return std::unexpected(late.error());
  for (const StoredTrigger& trigger : *late) {
    const auto spec = read_spec(trigger.spec, trigger.anchor);
    const auto* source = spec ? std::get_if<PollSource>(&spec->source) : nullptr;
    if (source == nullptr) continue;
    const PollPlan plan{
        .interval_ms = source->interval_ms == 0 ? std::nullopt : std::optional(source->interval_ms),
        .seed = seed_of(trigger)};
    const WallMs next = next_poll({.next_at = *trigger.wake_at}, plan, now);
    if (next >= *trigger.wake_at) continue;
    // If it is lost, the next daemon does it again.
    const auto moved =
        co_await record_(store::Work([name = trigger.name, next](store::Transaction& transaction) {
          return transaction.execute_without_event(
              "UPDATE triggers SET wake_at = $1 WHERE name = $2", {next, name});
        }));
    if (!moved) co_return std::unexpected(moved.error());
  }
  co_return Result<>{};
}

}  // namespace drover::triggers
