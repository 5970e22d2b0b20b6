// Reads is the part of a store that reads: runs, events, lanes and the tables of rooms. Nothing in
// it assumes that all readers are in one process, or that one machine's clock made all times.
//
// SnapshotReads read on a connection of their own, within one snapshot at a time: see
// store/read_pool.h, which owns such connections and uses them beside the loop.
//
// Threads: one at a time for each object.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "run/event.h"
#include "run/record.h"
#include "store/compaction.h"
#include "store/transaction.h"

namespace drover::store {

struct Lane {
  std::string name;
  std::int64_t limit = 0;
  std::int64_t active = 0;  // Derived from the runs' states, never counted by hand.
  std::int64_t queued = 0;
  WallMs paused_at = 0;    // 0: not paused. A paused lane starts no runs.
  WallMs draining_at = 0;  // 0: not draining. A draining lane accepts no new runs.
};

// Newest first. Every filter that is set must hold.
struct Query {
  std::optional<run::State> state = {};
  bool active_only = false;
  bool finished_only = false;
  std::string scope = {};    // This scope and those below it; empty: all.
  bool scope_alone = false;  // Without those below it: retention counts each scope by itself (R9).
  std::string kind = {};
  std::vector<std::string> kinds = {};  // Any of these; empty: all.
  std::string name = {};
  std::string lane = {};
  std::string chain = {};    // The attempts of the run with this id.
  bool latest_only = false;  // Only the latest attempt of each chain that is still stored.
  std::vector<std::pair<std::string, std::string>> labels = {};
  std::optional<WallMs> finished_before = {};  // Only records of runs that finished before it.
  std::optional<WallMs> since = {};            // Submitted then or later, by their ids.
  std::optional<WallMs> until = {};            // Submitted before it.
  std::optional<std::int64_t> before = {};     // Records with a smaller number: the next page.
  bool oldest_first = false;  // With finished_before: those that finished first come first.
  size_t limit = 100;
};

struct EventQuery {
  std::int64_t after = 0;
  std::optional<RunId> run = {};
  std::string scope = {};  // This scope and those below it; empty: all.
  std::string about = {};  // Only subjects of this sort: "token" for token/…; empty: all.
  bool of_owner = true;    // Also events without a scope, which only the owner may see.
  size_t limit = 512;
  bool last = false;  // If there are more than `limit`: the last of them, still oldest first.
};

class Reads {
 public:
  virtual ~Reads() = default;

  virtual Result<std::optional<run::Record>> find(const RunId& id) = 0;
  // Ids that begin with `prefix`, newest first, at most `limit`.
  virtual Result<std::vector<RunId>> find_prefix(const std::string& prefix, size_t limit) = 0;
  virtual Result<std::vector<run::Record>> list(const Query& query) = 0;
  virtual Result<std::vector<run::Event>> events(const EventQuery& query) = 0;
  // The last event of a finished run, also if its record was deleted (H4). Once its events are
  // compacted, it is the only one: `events` of that run returns it, too.
  virtual Result<std::optional<run::Event>> final_event(const RunId& id) = 0;
  // The newest event that compaction has removed; 0: none. From there on the log is complete;
  // before it, events may be missing.
  virtual Result<std::int64_t> compacted_through() = 0;
  // Counts every table: some milliseconds for each million of rows.
  virtual Result<StoreSizes> sizes() = 0;
  // Whether a run was submitted in that scope under that key. A key is known while its run, or the
  // run that started it, is stored; after that until it reaches its age (`retention.keys`).
  virtual Result<bool> knows_key(const std::string& scope, const std::string& key) = 0;
  virtual Result<std::int64_t> last_seq() = 0;
  virtual Result<std::vector<Lane>> lanes() = 0;
  // Scopes with more than `count_max` finished runs, and how many they have (R9).
  virtual Result<std::vector<std::pair<std::string, std::int64_t>>> crowded_scopes(
      std::int64_t count_max) = 0;
  // Queries the tables of a room (store/transaction.h).
  virtual Result<Table> query(std::string_view sql, const Values& values) = 0;
};

// The error to end a read with: its caller is gone, or it has used its time.
using ReadCheck = std::function<Result<>()>;

class SnapshotReads : public Reads {
 public:
  // Begins a read with a snapshot. `check` is called during the read, often; its error is the
  // result. The store may interrupt the read, because its snapshot keeps old data from being
  // cleared away.
  virtual void begin(ReadCheck check, bool may_be_interrupted) = 0;
  // Ends the read and its snapshot. True: it was interrupted; repeat it.
  virtual bool end() = 0;
};

}  // namespace drover::store
