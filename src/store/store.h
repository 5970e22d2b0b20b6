// A Store keeps everything that Drover records: the records of runs, events, lanes, idempotency
// keys and the tables of rooms. A write is durable before its caller is answered. SqliteStore is
// the embedded implementation. store_contract.h is the test suite that every implementation must
// pass.
//
// Threads: `write` may be called from any thread and never blocks on the disk. `done` is called on
// the store's own thread after the commit, or, if the queue is full, at once on the caller's
// thread; it must be quick and must not call the store. The store's own reads may be called from
// one thread at a time (the daemon's loop) and see everything that was committed before they began.
// They are for the start of the daemon, when no client waits, and for the spine after a write of
// unknown fate. Everything else asks a ReadPool (read_pool.h), on whose threads the connections of
// `open_snapshots` read.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
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
#include "store/reads.h"
#include "store/transaction.h"

namespace drover::store {

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
  Compacted compacted = {};            // The result of a Compaction.

  bool is_of_run() const { return record.id != RunId(); }
};
using Done = std::move_only_function<void(Result<Written>)>;

class Store : public Reads {
 public:
  // run::apply judges a fact inside the transaction that writes it. A refusal is returned to this
  // caller only; the other facts of the transaction are kept. `unavailable` means that nothing was
  // written, except with the reason `commit_unknown`: then look, or send the fact again.
  virtual void write(Write write, Done done) = 0;

  // Which daemon gave which numbers, for the cursors of readers.
  virtual const Epochs& epochs() const = 0;
  // The number of durable transactions since the store was opened, for metrics. Any thread.
  virtual std::uint64_t commits() const { return 0; }
  // The record of a run that was written lately, from memory. Empty says nothing about the run. Any
  // thread.
  virtual std::optional<run::Record> at_hand(const RunId& id) const = 0;
  // Another connection for reading. The store must outlive it. Any thread.
  virtual Result<std::unique_ptr<SnapshotReads>> open_snapshots() = 0;
};

}  // namespace drover::store
