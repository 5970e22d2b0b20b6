// A Compaction removes what no longer has to be stored, one small step at a time, so that the
// tables have a bound (docs/schema.md, "Growth"). Of a removed run one row of evidence stays, from
// which its handle resolves as before (run/remains.h). The newest event is never removed, because
// `seq` continues from it.
//
// A step appends no event. Steps that change anything are numbered instead, so that a store can
// find out after a commit of unknown fate whether the step landed.
#pragma once

#include <cstdint>
#include <limits>

#include "base/clock.h"
#include "base/limits.h"

namespace drover::store {

enum class Compacts : std::uint8_t {
  removed_runs,  // The events of runs that were removed before `before`.
  other_events,  // Events about other things, written before `before`: all but the newest.
  keys,          // Keys of runs submitted before `before` that are no longer stored.
  evidence,      // Evidence of runs that finished before `before`.
};

struct Compaction {
  Compacts what = Compacts::removed_runs;
  WallMs before = 0;
  // Events after this one stay: a follower has not read them.
  std::int64_t through = std::numeric_limits<std::int64_t>::max();
  std::int64_t keep = limits::kEventsOfSortMax;  // Of other_events, of each sort of subject.
};

struct Compacted {
  std::int64_t removed = 0;  // Runs, events, keys or rows of evidence.
  std::int64_t kept = 0;     // Removed runs whose events stay, because a row cannot replace them.
  bool more = false;         // Another step may remove more.
  std::int64_t step = 0;     // Its number; 0: it changed nothing.
};

// How much the store holds, for `drover doctor`.
struct StoreSizes {
  std::int64_t file_bytes = 0;
  std::int64_t free_bytes = 0;  // Of the file: used again before it grows.
  std::int64_t runs = 0;
  std::int64_t events = 0;
  std::int64_t evidence = 0;
  std::int64_t keys = 0;
};

}  // namespace drover::store
