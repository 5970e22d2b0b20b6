#include "triggers/events/accept_event.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include "triggers/definition/stored_trigger.h"
#include "triggers/events/dedup.h"
#include "triggers/events/dedup_window.h"
#include "triggers/events/limits.h"
#include "triggers/firing/active_runs.h"
#include "triggers/ledger/occurrence.h"

namespace drover::triggers {
namespace {

namespace json = boost::json;

std::string text_of(const TriggerChain& chain) {
  json::array names;
  for (const std::string& name : chain) names.emplace_back(name);
  return names.empty() ? "" : json::serialize(names);
}

// The chain of an echo, as stored: empty, but not that of an event from outside.
constexpr std::string_view kEcho = "[]";

Result<RecentFirings> recent_firings(store::Transaction& transaction,
                                     const StoredTrigger& trigger) {
  const auto rows = transaction.query(
      "SELECT chain, decided_at FROM occurrences WHERE name = $1 AND outcome IN ('pending', "
      "'fired') AND event <> '' ORDER BY number DESC LIMIT $2",
      {trigger.name, std::max(kCausedFiringsMax, kEchoesMax)});
  if (!rows) return std::unexpected(rows.error());
  RecentFirings out;
  bool in_a_row = true;
  for (const store::Values& row : *rows) {
    in_a_row &= row[0].text() == kEcho;
    out.in_a_row += in_a_row ? 1 : 0;
    const bool is_recent = row[1].integer() > transaction.now() - kFiringRateMs;
    out.caused += is_recent && !row[0].text().empty() ? 1 : 0;
  }
  const bool is_this_minute = trigger.minute == minute_of(transaction.now());
  out.all = is_this_minute ? trigger.minute_events : 0;
  return out;
}

// An active run counts as the latest one, whichever started it.
Result<std::optional<LatestRun>> latest_run(store::Transaction& transaction,
                                            const std::string& trigger) {
  const auto active = active_runs(transaction, trigger);
  if (!active) return std::unexpected(active.error());
  std::optional<RunId> id;
  if (!active->empty()) {
    id = active->front();
  } else {
    const auto rows = transaction.query(
        "SELECT run_id FROM occurrences WHERE name = $1 AND run_id <> '' AND outcome = 'fired' "
        "ORDER BY number DESC LIMIT 1",
        {trigger});
    if (!rows) return std::unexpected(rows.error());
    if (!rows->empty()) {
      if (const auto parsed = RunId::parse(rows->front()[0].text())) id = *parsed;
    }
  }
  if (!id) return std::nullopt;
  const auto run = transaction.find(*id);
  if (!run) return std::unexpected(run.error());
  if (!*run) return std::nullopt;
  LatestRun out{.started_at = (*run)->started_at, .finished_at = {}};
  if ((*run)->finished_at != 0) out.finished_at = (*run)->finished_at;
  // A run that waits has changed nothing.
  if (out.started_at == 0) return std::nullopt;
  return out;
}

// The id of the event of which this one is a repetition; empty: it is none. Keeps the window.
Result<std::string> duplicate_of(store::Transaction& transaction, const WantedBy& wanted,
                                 const EventEnvelope& event) {
  if (wanted.dedup_ms == 0 || event.dedup_key.empty()) return std::string();
  const std::string key = window_key(event);
  const auto stored = find_window(transaction, wanted.trigger, key);
  if (!stored) return std::unexpected(stored.error());
  const auto decided = decide_dedup(*stored, event.id, event.time, wanted.dedup_ms);
  if (const auto* duplicate = std::get_if<Duplicate>(&decided)) return duplicate->of;
  const auto& window = std::get<DedupWindow>(decided);
  // Windows that are over are removed here: there are no more of them than events in one window.
  auto swept = transaction.execute("DELETE FROM trigger_windows WHERE name = $1 AND began_at < $2",
                                   {wanted.trigger, event.time - wanted.dedup_ms});
  if (!swept) return std::unexpected(swept.error());
  auto bounded = transaction.execute(
      "DELETE FROM trigger_windows WHERE name = $1 AND began_at < (SELECT began_at FROM "
      "trigger_windows WHERE name = $1 ORDER BY began_at DESC LIMIT 1 OFFSET $2)",
      {wanted.trigger, kDedupWindowsKept - 1});
  if (!bounded) return std::unexpected(bounded.error());
  auto kept = transaction.execute(
      "INSERT INTO trigger_windows (name, key, event_id, began_at) VALUES ($1, $2, $3, $4) "
      "ON CONFLICT (name, key) DO UPDATE SET event_id = excluded.event_id, "
      "began_at = excluded.began_at",
      {wanted.trigger, key, window.event_id, window.start});
  if (!kept) return std::unexpected(kept.error());
  return std::string();
}

// A Reception says whether an event reaches a trigger.
struct Reception {
  std::string refusal = {};  // Why it does not reach the trigger; empty: it does.
  std::string chain = {};
  bool is_loop = false;  // The guard has refused it.
};

Result<Reception> receive(store::Transaction& transaction, const WantedBy& wanted,
                          const EventEnvelope& event) {
  const auto trigger = find_trigger(transaction, wanted.trigger);
  if (!trigger) return std::unexpected(trigger.error());
  Reception out{.chain = text_of(event.chain)};
  const auto refused = [&](std::string why) {
    out.refusal = std::move(why);
    return out;
  };
  if (wanted.drops_loops) {
    // Before an occurrence says that the trigger is paused: it would come back as an event.
    if (const auto loop = find_loop(event.chain, wanted.trigger, false, {})) {
      out.is_loop = true;
      return refused(loop->reason);
    }
  }
  if (trigger->paused_at != 0) return refused("paused");
  if (!wanted.refusal.empty()) return refused("filter: " + wanted.refusal);
  const bool may_echo = may_be_echo(event.chain, event.producer);
  std::optional<LatestRun> latest;
  if (may_echo) {
    auto found = latest_run(transaction, wanted.trigger);
    if (!found) return std::unexpected(found.error());
    latest = *found;
  }
  const bool caused = is_caused(event.chain, may_echo, event.time, latest);
  if (caused && out.chain.empty()) out.chain = kEcho;
  const auto recent = recent_firings(transaction, *trigger);
  if (!recent) return std::unexpected(recent.error());
  if (const auto loop = find_loop(event.chain, wanted.trigger, caused, *recent)) {
    out.is_loop = loop->reason != "too_fast";
    return refused(loop->reason + ": " + loop->message);
  }
  const auto first = duplicate_of(transaction, wanted, event);
  if (!first) return std::unexpected(first.error());
  if (!first->empty()) return refused("duplicate: of " + *first);
  if (auto ok = count_event(transaction, *trigger); !ok) return std::unexpected(ok.error());
  return out;
}

}  // namespace

Result<> accept_event(store::Transaction& transaction, const WantedBy& wanted,
                      const EventEnvelope& event) {
  // Again after a crash: it must neither count nor open a window.
  const auto known = transaction.query("SELECT 1 FROM occurrences WHERE name = $1 AND key = $2",
                                       {wanted.trigger, event.id});
  if (!known) return std::unexpected(known.error());
  if (!known->empty()) return {};
  const auto received = receive(transaction, wanted, event);
  if (!received) {
    // It was removed after the event had been read.
    if (received.error().code == ErrorCode::not_found) return {};
    return std::unexpected(received.error());
  }
  if (wanted.drops_loops && received->is_loop) return {};
  return add_occurrence(transaction, wanted.trigger,
                        {.key = event.id,
                         .due_at = event.time,
                         .outcome = received->refusal.empty() ? Outcome::pending : Outcome::skipped,
                         .reason = received->refusal,
                         .run_id = {},
                         .count = 1,
                         .first_key = {},
                         .event = to_json_text(event),
                         .chain = received->chain});
}

}  // namespace drover::triggers
