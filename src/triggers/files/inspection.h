// An inspection compares a tree with the snapshot of what was reported. Three kinds:
//   scan      a walk through new or unknown parts; differing files are not reported, because they
//             may not be whole yet, but wait until they settle (settle.h)
//   report    an inspection of paths that have settled: differing files are a batch of changes
//   baseline  the first inspection of a tree: its files are the snapshot, and nothing is reported
//
// Runs on a worker, like the walk in it. The request owns what it needs; the loop may forget it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "triggers/files/file_spec.h"
#include "triggers/files/settle.h"
#include "triggers/files/snapshot.h"
#include "triggers/files/walk.h"
#include "triggers/files/watch_table.h"
#include "work/turn.h"

namespace drover::triggers {

// A record to store under (trigger, index), replacing an earlier one (snapshot_codec.h).
struct SnapshotPart {
  size_t index = 0;
  std::string bytes;
};

// Changes to report, and the snapshot to store in the same commit: after a crash before the commit
// the same changes are found again, after a crash behind it none of them is.
struct ChangeBatch {
  std::vector<FileChange> changes;  // Sorted by path; at most kChangesMax.
  std::uint64_t count = 0;          // All changes; 0: only store the snapshot.
  // One event for all of it: there are more changes than listed, or events were lost.
  bool coalesced = false;
  Snapshot after;
  std::vector<SnapshotPart> parts;  // The records of `after` that differ from the stored ones.
};

enum class InspectionKind : std::uint8_t { scan, report, baseline };

struct InspectionRequest {
  InspectionKind kind = InspectionKind::scan;
  std::shared_ptr<const FileFilter> filter;
  Snapshot known;                            // Everything reported so far.
  Snapshot stored;                           // The snapshot of the last batch.
  std::vector<std::string> scan = {};        // Of a scan: where; "" is the whole tree.
  Settle::Due due = {};                      // Of a report.
  bool root_was_deleted = false;             // A missing root means that its files are deleted.
  std::shared_ptr<WatchTable> watches = {};  // Null: do not watch.
  TreeId tree = 0;
  std::uint64_t walk = 0;
};

struct Inspection {
  RootState root = RootState::missing;
  RootId root_id = {};
  std::string needs_polling = {};
  std::string warning = {};
  Snapshot known = {};                   // The new one.
  std::vector<FileEdit> differing = {};  // Of a scan, and of a report what has not settled.
  bool is_too_different = false;         // Instead of more than kPendingMax of these.
  ChangeBatch batch = {};                // Of a report or a baseline.
};

Result<Inspection> inspect(const InspectionRequest& request, const work::Turn& turn);

}  // namespace drover::triggers
