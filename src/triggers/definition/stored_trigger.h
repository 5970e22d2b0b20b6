// A StoredTrigger is a row of the table `triggers`: its spec as JSON, and where it stands. The
// functions here read and change rows; they decide nothing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "store/reads.h"
#include "store/transaction.h"

namespace drover::triggers {

struct StoredTrigger {
  std::string name;
  std::string source_type;  // spec.h: source_type.
  std::string spec;
  std::string declared_in = {};  // The file that declares it; empty: it was added by hand.
  WallMs created_at = 0;
  WallMs anchor = 0;
  WallMs paused_at = 0;
  std::optional<WallMs> next_due = {};
  std::optional<WallMs> wake_at = {};
  std::int64_t errors = 0;
  WallMs backoff_until = 0;
  std::int64_t revision = 1;
  // How many events it has accepted in this minute since 1970 (events/loop_guard.h).
  std::int64_t minute = 0;
  std::int64_t minute_events = 0;
  std::string zone_version = {};  // Of the zone with which next_due was found (time/zone.h).
};

inline std::int64_t minute_of(WallMs time) {
  return time / 60'000;
}

// The scope of its runs and events.
inline std::string scope_of(std::string_view trigger) {
  return "trigger/" + std::string(trigger);
}
std::unexpected<Error> no_such_trigger(std::string_view name);

Result<std::vector<StoredTrigger>> list_triggers(store::Reads& store, std::string_view after,
                                                 size_t limit);
Result<std::vector<StoredTrigger>> triggers_of(store::Reads& store, std::string_view source);
// Those that a file declares, by name.
Result<std::vector<StoredTrigger>> declared_triggers(store::Reads& store);
Result<StoredTrigger> find_trigger(store::Reads& store, const std::string& name);
Result<StoredTrigger> find_trigger(store::Transaction& transaction, const std::string& name);

// Those that are due at `now`, the longest overdue first; and when the next one is.
Result<std::vector<StoredTrigger>> due_triggers(store::Reads& store, WallMs now, size_t limit);
Result<std::optional<WallMs>> next_wake(store::Reads& store);

// The versions of zones that stored times were found with, and the triggers of one of them.
Result<std::vector<std::string>> zone_versions(store::Reads& store);
Result<std::vector<StoredTrigger>> triggers_in_zone(store::Reads& store, const std::string& version,
                                                    size_t limit);
// Feeds and pages whose next poll is after `time`.
Result<std::vector<StoredTrigger>> polls_after(store::Reads& store, WallMs time);

// Those that are neither paused nor done, and when the first schedule of them is due.
struct ActiveTriggers {
  std::int64_t count = 0;
  std::optional<WallMs> next_at;
};
Result<ActiveTriggers> count_active(store::Reads& store);

// Refused: `name_taken`, `too_many_triggers`.
Result<> insert_trigger(store::Transaction& transaction, const StoredTrigger& trigger);
// Writes everything but its name and creation, and counts the revision.
Result<> update_trigger(store::Transaction& transaction, const StoredTrigger& trigger);
// It may be lost unless the same Work records occurrences or an event; the caller then repeats it.
Result<> set_next(store::Transaction& transaction, const std::string& name,
                  std::optional<WallMs> next_due, std::optional<WallMs> wake_at);
// Counts one more event of this minute.
Result<> count_event(store::Transaction& transaction, const StoredTrigger& trigger);
// The memory of its source, in numbered parts: the ETag of a feed, the snapshot of a tree. An empty
// text removes a part.
struct StatePart {
  std::int64_t part = 0;
  std::string state;
};
Result<std::vector<StatePart>> state_of(store::Reads& store, const std::string& name);
Result<> set_state(store::Transaction& transaction, const std::string& name, const StatePart& part);
Result<> forget_state(store::Transaction& transaction, const std::string& name);
// With its ledger.
Result<> delete_trigger(store::Transaction& transaction, const std::string& name);

}  // namespace drover::triggers
