// The stored snapshots of file triggers: the parts of files/snapshot_codec.h, as rows of the table
// trigger_states.
//
// A batch of changed parts is written in one commit with its event. If it has more than
// kStateBytesPerWork, the new parts are written beside the old ones first, in commits of their own,
// and that commit only says which ones count. So a crash in between leaves the old snapshot,
// against which the changes are found again. Each part has two places for this:
//
//   0 to 63    place A of each part, base 64
//   64 to 127  place B
//   128        64 digits, one for each part: where it is ("A" or "B"); missing: all are in A
#pragma once

#include <string>
#include <vector>

#include "store/transaction.h"
#include "triggers/definition/stored_trigger.h"
#include "triggers/files/inspection.h"

namespace drover::triggers {

// The records of the snapshot for decode_parts; empty: none is stored.
std::vector<std::string> stored_records(const std::vector<StatePart>& rows);

struct SnapshotWrites {
  std::vector<std::vector<StatePart>> before = {};  // Each is a commit.
  std::vector<StatePart> with_event = {};
};
// `places` is where the parts are, and is changed as the writes will.
SnapshotWrites writes_for(const std::vector<SnapshotPart>& parts, std::string& places,
                          size_t bytes_max);

// All parts in A.
std::string initial_places();
// As stored.
std::string places_in(const std::vector<StatePart>& rows);

}  // namespace drover::triggers
