// The Compactor carries out the steps of compaction (store/compaction.h) inside the writer's
// transaction. Each step looks at a bounded number of rows.
//
// The log is read once, in order: the mark `scanned_through` says how far. A removed run is found
// by its run.deleted event, which is its last one; by then its other events have been passed.
//
// Lives on the writer's thread, and must not outlive the database.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "run/event.h"
#include "store/compaction.h"
#include "store/sqlite/database.h"

namespace drover::store::sqlite {

class Compactor {
 public:
  Result<> prepare(Database& database);

  Result<Compacted> step(const Compaction& wish);
  // Whether the step with this number is stored.
  Result<bool> landed(std::int64_t step);

  // Whether a run with this id was removed and compacted. New ids cost no query: they are greater
  // than every id in `evidence`.
  Result<bool> knows(const RunId& id);

 private:
  Result<Compacted> carry_out(const Compaction& wish);
  Result<Compacted> compact_removed_runs(const Compaction& wish);
  Result<Compacted> compact_other_events(const Compaction& wish);
  Result<Compacted> compact_keys(const Compaction& wish);
  Result<Compacted> compact_evidence(const Compaction& wish);

  // False: its events stay.
  Result<bool> compact_run(std::string_view id);
  Result<std::int64_t> compact_sort(const std::string& sort, const Compaction& wish,
                                    std::int64_t end, std::int64_t most);
  // The last event that may be removed.
  Result<std::int64_t> end_of(const Compaction& wish);
  Result<bool> is_stored(std::string_view run);
  // Whether the run, or the run that started it, is still stored.
  Result<bool> is_needed(std::string_view run);
  Result<> forget_event(const run::Event& event);
  Result<std::int64_t> mark(std::string_view name);
  Result<> set_mark(std::string_view name, std::int64_t value);
  Result<> count_evidence(std::int64_t more);
  Result<> passed(std::int64_t seq);  // Moves `compacted_through`.

  struct Statements {
    Statement mark, set_mark, last_seq, scan, events_of, stored, forget_subject, forget_seq,
        forget_scope, insert, knows, parent, next_subject, count_sort, sort_events, keys,
        forget_key, forget_evidence;
  };
  Statements sql_;
  Database* database_ = nullptr;
  std::string newest_;  // The greatest id in `evidence`; after a rollback perhaps greater.
  std::string keys_scope_, keys_key_;  // The last key that was looked at in this round.
};

}  // namespace drover::store::sqlite
