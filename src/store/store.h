// A Store is Drover's memory: records, events, lanes and idempotency keys. A write is durable
// before its caller is answered. SqliteStore is the embedded implementation. store_contract.h is
// the test suite that every implementation must pass.
//
// Threads: `write` may be called from any thread and never blocks on the disk. `done` is called on
// the store's own thread after the commit, or, if the queue is full, at once on the caller's
// thread; it must be quick and must not call the store. Reads may be called from one thread at a
// time (the daemon's loop) and see everything that was committed before they began.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "run/event.h"
#include "run/fact.h"
#include "run/transition.h"
#include "store/compaction.h"
#include "store/epochs.h"
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

// Creates or changes a lane; the first run in a lane also creates it. Fields that are not set stay
// unchanged.
struct LaneSet {
  std::string name;
  std::optional<std::int64_t> limit = {};
  std::optional<bool> paused = {};
  std::optional<bool> draining = {};
};
// Refused while the lane has active runs (`lane_busy`), and for lanes that Drover itself needs.
struct LaneRemoved {
  std::string name;
};

using Write = std::variant<run::Fact, LaneSet, LaneRemoved, Work, Compaction>;

struct Written {
  run::Effect effect = run::Effect::changed;
  run::Record record = {};              // After the commit (unchanged if nothing changed).
  std::vector<run::Event> events = {};  // The events added, with seq.
  bool replayed = false;  // A Submitted whose key was used before: `record` is the first run's.
  std::vector<run::Record> also = {};  // Other runs that changed with it.
  Compacted compacted = {};            // What a Compaction has done.

  bool is_of_run() const { return record.id != RunId(); }
};
using Done = std::move_only_function<void(Result<Written>)>;

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

class Store {
 public:
  virtual ~Store() = default;

  // run::apply judges a fact inside the transaction that writes it. A refusal is returned to this
  // caller only; the other facts of the transaction are kept. `unavailable` means that nothing was
  // written, except with the reason `commit_unknown`: then look, or send the fact again.
  virtual void write(Write write, Done done) = 0;

  virtual Result<std::optional<run::Record>> find(const RunId& id) = 0;
  // Ids that begin with `prefix`, newest first, at most `limit`.
  virtual Result<std::vector<RunId>> find_prefix(const std::string& prefix, size_t limit) = 0;
  virtual Result<std::vector<run::Record>> list(const Query& query) = 0;
  virtual Result<std::vector<run::Event>> events(const EventQuery& query) = 0;
  // The last event of a finished run, also if its record was deleted (H4). Once its events are
  // compacted, it is the only one: `events` of that run returns it, too.
  virtual Result<std::optional<run::Event>> terminal_event(const RunId& id) = 0;
  // The newest event that compaction has removed; 0: none. From there on the log is complete;
  // before it, events may be missing.
  virtual Result<std::int64_t> compacted_through() = 0;
  // Counts every table: some milliseconds for each million of rows.
  virtual Result<StoreSizes> sizes() = 0;
  // Whether a run was submitted in that scope under that key. A key is known while its run, or the
  // run that started it, is stored; then until its age (limits::kKeyAgeMaxMs).
  virtual Result<bool> knows_key(const std::string& scope, const std::string& key) = 0;
  virtual Result<std::int64_t> last_seq() = 0;
  virtual Result<std::vector<Lane>> lanes() = 0;
  // Scopes with more than `count_max` finished runs, and how many they have (R9).
  virtual Result<std::vector<std::pair<std::string, std::int64_t>>> crowded_scopes(
      std::int64_t count_max) = 0;
  // Which daemon gave which numbers, for the cursors of readers.
  virtual const Epochs& epochs() const = 0;
  // The number of durable transactions since the store was opened, for metrics. Any thread.
  virtual std::uint64_t commits() const { return 0; }
  // Queries the tables of a room (store/transaction.h).
  virtual Result<Table> query(std::string_view sql, const Values& values) = 0;
};

}  // namespace drover::store
