#include "triggers/tables.h"

#include <array>

namespace drover::triggers {
namespace {

constexpr auto kMigrations = std::to_array<std::string_view>({
    R"sql(
CREATE TABLE triggers (
  name TEXT PRIMARY KEY,
  source TEXT NOT NULL,                    -- cron, every, once, file, webhook, feed, page, event
  spec TEXT NOT NULL,                      -- JSON, without any value of its environment
  origin TEXT NOT NULL DEFAULT '',         -- empty: added by hand; else the file it was read from
  created_at INTEGER NOT NULL,
  anchor INTEGER NOT NULL,                 -- where the grid of `every` begins
  paused_at INTEGER NOT NULL DEFAULT 0,    -- 0: not paused
  next_slot INTEGER,                       -- the earliest due time that is not in the ledger
  wake_at INTEGER,                         -- when to look at it: next_slot and its jitter
  errors INTEGER NOT NULL DEFAULT 0,       -- runs that failed one after another
  backoff_until INTEGER NOT NULL DEFAULT 0,
  revision INTEGER NOT NULL DEFAULT 1      -- counts its changes by people
) STRICT, WITHOUT ROWID;
CREATE INDEX triggers_due ON triggers (wake_at) WHERE paused_at = 0 AND wake_at IS NOT NULL;
CREATE TABLE trigger_states (
  name TEXT NOT NULL,
  part INTEGER NOT NULL,
  state TEXT NOT NULL,                     -- what its source remembers: an ETag, a part of a snapshot
  PRIMARY KEY (name, part)
) STRICT, WITHOUT ROWID;
CREATE TABLE occurrences (
  name TEXT NOT NULL,
  key TEXT NOT NULL,
  number INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  decided_at INTEGER NOT NULL,
  outcome TEXT NOT NULL,
  reason TEXT NOT NULL,
  run_id TEXT NOT NULL,
  count INTEGER NOT NULL,
  first_key TEXT NOT NULL,
  event TEXT NOT NULL,
  chain TEXT NOT NULL,
  PRIMARY KEY (name, key)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX occurrences_order ON occurrences (name, number);
CREATE INDEX occurrences_run ON occurrences (run_id) WHERE run_id <> '';
CREATE INDEX occurrences_pending ON occurrences (due_at) WHERE outcome = 'pending';
CREATE TABLE trigger_totals (
  name TEXT NOT NULL,
  outcome TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (name, outcome)
) STRICT, WITHOUT ROWID;
CREATE TABLE trigger_windows (
  name TEXT NOT NULL,
  key TEXT NOT NULL,
  event_id TEXT NOT NULL,
  began_at INTEGER NOT NULL,
  PRIMARY KEY (name, key)
) STRICT, WITHOUT ROWID;
)sql",
    // The daemon looks for those of some sources when it starts; adding one counts them all.
    R"sql(
CREATE INDEX triggers_of_source ON triggers (source);
)sql",
    R"sql(
ALTER TABLE triggers ADD COLUMN minute INTEGER NOT NULL DEFAULT 0;
ALTER TABLE triggers ADD COLUMN minute_events INTEGER NOT NULL DEFAULT 0;
ALTER TABLE triggers ADD COLUMN zone_version TEXT NOT NULL DEFAULT '';
CREATE INDEX triggers_zone ON triggers (zone_version) WHERE zone_version <> '';
CREATE INDEX trigger_windows_age ON trigger_windows (name, began_at);
)sql",
});

}  // namespace

const store::RoomSchema kTables{.room = "triggers", .migrations = kMigrations};

}  // namespace drover::triggers
