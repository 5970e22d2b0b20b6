#include "store/sqlite/history.h"

#include <array>

namespace drover::store::sqlite {
namespace {

// A released migration is never edited, only followed by another.
constexpr std::string_view kFirst = R"sql(
CREATE TABLE runs (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  trace_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  scope TEXT NOT NULL,
  name TEXT NOT NULL,
  state INTEGER NOT NULL,
  reason TEXT,
  origin TEXT,
  message TEXT NOT NULL,
  exit_code INTEGER,
  signal INTEGER,
  failed_step INTEGER NOT NULL,
  launch_error INTEGER NOT NULL,
  command TEXT NOT NULL,
  cwd TEXT NOT NULL,
  labels TEXT NOT NULL,
  lane TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  parent_run_id TEXT NOT NULL,
  on_restart INTEGER NOT NULL,
  grace_ms INTEGER NOT NULL,
  queued_at INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  finished_at INTEGER NOT NULL,
  cpu_ms INTEGER NOT NULL,
  peak_rss_bytes INTEGER NOT NULL,
  stdout_bytes INTEGER NOT NULL,
  stderr_bytes INTEGER NOT NULL,
  cancel_requested INTEGER NOT NULL,
  cancel_mono_ns INTEGER NOT NULL,
  receipt TEXT NOT NULL,
  events INTEGER NOT NULL
) STRICT;
CREATE INDEX runs_active ON runs (state, lane) WHERE state < 3;
CREATE INDEX runs_ended ON runs (state) WHERE state >= 3;
CREATE INDEX runs_finished ON runs (finished_at) WHERE state >= 3;
CREATE INDEX runs_scope ON runs (scope);

CREATE TABLE run_scopes (
  scope TEXT NOT NULL,
  number INTEGER NOT NULL REFERENCES runs (number) ON DELETE CASCADE,
  PRIMARY KEY (scope, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX run_scopes_number ON run_scopes (number);

CREATE TABLE run_labels (
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  number INTEGER NOT NULL REFERENCES runs (number) ON DELETE CASCADE,
  PRIMARY KEY (key, value, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX run_labels_number ON run_labels (number);

CREATE TABLE spine (
  seq INTEGER PRIMARY KEY,
  run_id TEXT NOT NULL,
  run_seq INTEGER NOT NULL,
  type TEXT NOT NULL,
  time INTEGER NOT NULL,
  trace_id TEXT NOT NULL,
  scope TEXT NOT NULL,
  terminal INTEGER NOT NULL,
  data TEXT NOT NULL,
  UNIQUE (run_id, run_seq)
) STRICT;
CREATE UNIQUE INDEX spine_terminal ON spine (run_id) WHERE terminal;

CREATE TABLE lanes (
  name TEXT PRIMARY KEY,
  lane_limit INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE idempotency (
  scope TEXT NOT NULL,
  key TEXT NOT NULL,
  run_id TEXT NOT NULL,
  digest TEXT NOT NULL,
  PRIMARY KEY (scope, key)
) STRICT, WITHOUT ROWID;
)sql";

// Paused and draining lanes; runs that wait for others or for their time, and are retried.
constexpr std::string_view kPlans = R"sql(
ALTER TABLE runs ADD COLUMN priority INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN held INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN not_before INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN plan TEXT NOT NULL DEFAULT '';
ALTER TABLE runs ADD COLUMN chain TEXT NOT NULL DEFAULT '';
ALTER TABLE runs ADD COLUMN retried_by TEXT NOT NULL DEFAULT '';
DROP INDEX runs_active;
CREATE INDEX runs_active ON runs (state, lane, held) WHERE state < 3;
CREATE INDEX runs_chain ON runs (chain) WHERE chain != '';
ALTER TABLE lanes ADD COLUMN paused_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE lanes ADD COLUMN draining_at INTEGER NOT NULL DEFAULT 0;
)sql";

// Tokens that the owner has created, and browser sessions.
constexpr std::string_view kTokens = R"sql(
CREATE TABLE tokens (
  id TEXT PRIMARY KEY,
  hash TEXT NOT NULL,
  label TEXT NOT NULL,
  scope TEXT NOT NULL,
  can TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  revoked_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
)sql";

// Runs are found by name.
constexpr std::string_view kNames = R"sql(
CREATE INDEX runs_name ON runs (name) WHERE name != '';
)sql";

// Projects that are played, and the progress of each play.
constexpr std::string_view kPlays = R"sql(
CREATE TABLE projects (
  id TEXT PRIMARY KEY,
  root TEXT NOT NULL UNIQUE,
  added_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
ALTER TABLE runs ADD COLUMN session TEXT NOT NULL DEFAULT '';
INSERT OR IGNORE INTO lanes (name, lane_limit) VALUES ('play', 64);
)sql";

// The log is read by scope, and names are looked up within one.
constexpr std::string_view kScopes = R"sql(
CREATE INDEX runs_scope_name ON runs (scope, name) WHERE name != '';
CREATE INDEX spine_scope ON spine (scope) WHERE scope != 'default';
CREATE TABLE spine_scopes (
  scope TEXT NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (scope, seq)
) STRICT, WITHOUT ROWID;
WITH RECURSIVE above (scope, seq) AS (
  SELECT rtrim(rtrim(scope, replace(scope, '/', '')), '/'), seq FROM spine
    WHERE instr(scope, '/') > 0
  UNION ALL
  SELECT rtrim(rtrim(scope, replace(scope, '/', '')), '/'), seq FROM above
    WHERE instr(scope, '/') > 0)
INSERT INTO spine_scopes (scope, seq) SELECT scope, seq FROM above WHERE scope != 'default';
)sql";

// The phase of a composite belongs to its room.
constexpr std::string_view kPhases = R"sql(
ALTER TABLE runs RENAME COLUMN session TO phase;
ALTER TABLE spine RENAME COLUMN run_id TO subject;
CREATE TABLE room_schemas (
  room TEXT PRIMARY KEY,
  version INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
)sql";

// Which daemon gave which numbers to events, and when an older database was restored.
constexpr std::string_view kEpochs = R"sql(
CREATE TABLE epochs (
  first_seq INTEGER PRIMARY KEY,
  epoch TEXT NOT NULL,
  follows INTEGER NOT NULL
) STRICT;
CREATE TABLE restores (
  seq INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  database_seq INTEGER NOT NULL,
  known_seq INTEGER NOT NULL,
  taken_up INTEGER
) STRICT;
)sql";

// The last progress of a run.
constexpr std::string_view kProgress = R"sql(
ALTER TABLE runs ADD COLUMN progress TEXT NOT NULL DEFAULT '';
)sql";

// The evidence of removed runs, and the progress of compaction.
constexpr std::string_view kEvidence = R"sql(
CREATE TABLE evidence (
  id TEXT PRIMARY KEY,
  seq INTEGER NOT NULL,
  run_seq INTEGER NOT NULL,
  state INTEGER NOT NULL,
  reason INTEGER,
  origin INTEGER,
  exit_code INTEGER,
  signal INTEGER,
  failed_step INTEGER,
  launch_error INTEGER,
  queued_at INTEGER NOT NULL,
  started_ms INTEGER,
  finished_ms INTEGER NOT NULL,
  stdout_bytes INTEGER,
  stderr_bytes INTEGER,
  cancel_requested INTEGER,
  kind TEXT,
  scope TEXT,
  trace_id BLOB,
  parent_run_id TEXT,
  retried_by TEXT,
  message TEXT
) STRICT, WITHOUT ROWID;
CREATE TABLE marks (
  name TEXT PRIMARY KEY,
  value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
)sql";

constexpr auto kMigrations = std::to_array<std::string_view>(
    {kFirst, kPlans, kTokens, kNames, kPlays, kScopes, kPhases, kEpochs, kProgress, kEvidence});

}  // namespace

std::span<const std::string_view> migrations() {
  return kMigrations;
}

}  // namespace drover::store::sqlite
