#include "inbox/tables.h"

#include <array>

namespace drover::inbox {
namespace {

constexpr auto kMigrations = std::to_array<std::string_view>({
    R"sql(
CREATE TABLE inbox_entries (
  id TEXT PRIMARY KEY,                     -- question_… or report_…
  number INTEGER NOT NULL,                 -- their order: 1, 2, 3 …
  type TEXT NOT NULL,                      -- escalation (a question), run_complete, output …
  run_id TEXT NOT NULL,
  key TEXT NOT NULL,                       -- of the request: a repetition adds nothing
  scope TEXT NOT NULL,
  app TEXT NOT NULL,                       -- empty: a run of no app
  at INTEGER NOT NULL,
  text TEXT NOT NULL,
  data TEXT NOT NULL,                      -- JSON; empty: none
  state TEXT NOT NULL,                     -- of a question: open, answered …; empty: a report
  context TEXT NOT NULL,
  choices TEXT NOT NULL,                   -- a JSON array
  deadline INTEGER,                        -- NULL: it never expires
  waits INTEGER NOT NULL,                  -- 1: a process of the run waits for the answer
  closed_at INTEGER NOT NULL,              -- 0: it is open
  choice TEXT NOT NULL,                    -- the answer
  answer TEXT NOT NULL,
  closed_by TEXT NOT NULL,                 -- owner or token; empty: nobody
  UNIQUE (run_id, key)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX inbox_order ON inbox_entries (number);
CREATE INDEX inbox_open ON inbox_entries (number) WHERE state = 'open';
CREATE INDEX inbox_due ON inbox_entries (deadline) WHERE state = 'open' AND deadline IS NOT NULL;
CREATE INDEX inbox_run ON inbox_entries (run_id, number);
)sql",
});

}  // namespace

const store::RoomSchema kTables{.room = "inbox", .migrations = kMigrations};

}  // namespace drover::inbox
