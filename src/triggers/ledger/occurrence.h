// An Occurrence is one due time of a trigger, or one event that reached it, with its outcome:
// fired, skipped, coalesced or missed, once, with the reason and the run. The occurrences of a
// trigger are its ledger (docs/triggers.md), the table `occurrences`; the functions here read it
// and change it inside Works.
//
// The occurrence of an event may be `pending` first: the event is durable, and its run is not
// submitted yet (firing/pending_firings.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "store/reads.h"
#include "store/transaction.h"

namespace drover::triggers {

enum class Outcome : std::uint8_t { pending, fired, skipped, coalesced, missed };
std::string_view name(Outcome outcome);
Outcome outcome_named(std::string_view text);  // An unknown name counts as missed.

struct Occurrence {
  std::string key;    // Unique within the trigger: due_time_key, or an event's id.
  WallMs due_at = 0;  // The due time with its jitter, or when the event arrived.
  Outcome outcome = Outcome::fired;
  std::string reason = {};  // A word, and for people a sentence after ": ".
  std::string run_id = {};
  std::int64_t count = 1;      // Of an occurrence for many due times: how many, up to this one.
  std::string first_key = {};  // Of such an occurrence: the oldest due time.
  std::string event = {};      // The event's envelope as JSON, bounded; empty for a due time.
  std::string chain = {};      // Which triggers led here (events/loop_guard.h).
  WallMs decided_at = 0;       // Set by the store.
  std::int64_t number = 0;     // Order within the trigger. Set by the store.
  bool is_scheduled() const { return event.empty() && !key.starts_with("evt_"); }
};

// The key of a due time: RFC 3339, UTC.
std::string due_time_key(WallMs due_time);

// Adds an occurrence, its total and its event (trigger.fired …), and removes the oldest occurrences
// beyond the bound. Refused: `already_accounted` if the trigger has an occurrence with this key.
Result<> add_occurrence(store::Transaction& transaction, const std::string& trigger,
                        Occurrence occurrence);
// Decides a pending occurrence, with its total and its event. Refused: `already_accounted` if it is
// not pending.
Result<> decide_occurrence(store::Transaction& transaction, const std::string& trigger,
                           Occurrence occurrence);

struct LedgerQuery {
  std::string trigger;
  std::int64_t before = 0;  // Occurrences with a smaller number: the next page; 0: from the newest.
  size_t limit = 100;
};
// Newest first.
Result<std::vector<Occurrence>> ledger(store::Reads& store, const LedgerQuery& query);
Result<std::optional<Occurrence>> find_occurrence(store::Reads& store, const std::string& trigger,
                                                  const std::string& key);
// The pending occurrences of all triggers, the oldest first: only where they are, since their
// events are whole. `after` is the last one of the page before.
struct PendingKey {
  WallMs due_at = 0;
  std::string trigger = {};
  std::string key = {};
};
Result<std::vector<PendingKey>> pending(store::Reads& store, size_t limit,
                                        const PendingKey& after = {});
// How many occurrences of each outcome there ever were, also of those that were removed.
struct LedgerTotals {
  std::int64_t fired = 0, skipped = 0, coalesced = 0, missed = 0;
};
Result<LedgerTotals> totals(store::Reads& store, const std::string& trigger);

}  // namespace drover::triggers
