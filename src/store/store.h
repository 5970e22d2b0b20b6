// A Store is Drover's memory: records, events, lanes and idempotency keys, durable before anybody
// is told. SqliteStore is the embedded implementation. store_contract.h is the suite that every
// implementation must pass.
//
// Threads: `write` may be called from any thread and never blocks on the disk. `done` is called on
// the store's own thread after the commit (at once, on the caller's, if the queue is full); it must
// be quick and must not call the store. Reads may be called from one thread at a time (the daemon's
// loop) and see everything that was committed before they began.
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
#include "store/transaction.h"

namespace drover::store {

struct Lane {
  std::string name;
  std::int64_t limit = 0;
  std::int64_t active = 0;  // Derived from the runs' states, never counted by hand.
  std::int64_t queued = 0;
  WallMs paused_at = 0;    // 0: it is not. A paused lane gives no slots away.
  WallMs draining_at = 0;  // 0: it is not. A draining lane takes no new runs.
};

// Lanes come into being with their first run, or by this. What is not set stays as it is.
struct LaneSet {
  std::string name;
  std::optional<std::int64_t> limit = {};
  std::optional<bool> paused = {};
  std::optional<bool> draining = {};
};
// Refused (`lane_busy`) while a run of it is active, and for those that there always are.
struct LaneRemoved {
  std::string name;
};

using Write = std::variant<run::Fact, LaneSet, LaneRemoved, Work>;

struct Written {
  run::Effect effect = run::Effect::changed;
  run::Record record = {};              // As it is after the commit (or was, if nothing changed).
  std::vector<run::Event> events = {};  // What was added, with seq.
  bool replayed = false;  // A Submitted whose key was known: `record` is the first one's.
  std::vector<run::Record> also = {};  // Other runs that changed with it.

  bool is_of_run() const { return record.id != RunId(); }
};
using Done = std::move_only_function<void(Result<Written>)>;

// Newest first. Every filter that is set must hold.
struct Query {
  std::optional<run::State> state = {};
  bool active_only = false;
  bool terminal_only = false;
  std::string scope = {};    // This scope and those below it; empty: all.
  bool scope_alone = false;  // Not those below it: retention counts each scope by itself (R9).
  std::string kind = {};
  std::vector<std::string> kinds = {};  // One of these; none: any.
  std::string name = {};
  std::string lane = {};
  std::string chain = {};    // The attempts of the run with this id.
  bool latest_only = false;  // Of each chain only its latest attempt that is still there.
  std::vector<std::pair<std::string, std::string>> labels = {};
  std::optional<WallMs> finished_before = {};  // Only terminal records that ended before it.
  std::optional<WallMs> since = {};            // Submitted then or later, by their ids.
  std::optional<WallMs> until = {};            // Submitted before it.
  std::optional<std::int64_t> before = {};     // Records with a smaller number: the next page.
  bool oldest_first = false;  // With finished_before: those that ended first go first.
  size_t limit = 100;
};

struct EventQuery {
  std::int64_t after = 0;
  std::optional<RunId> run = {};
  std::string scope = {};  // This scope and those below it; empty: all.
  std::string about = {};  // Of subjects of this sort alone: "token" of token/…; empty: all.
  bool of_owner = true;    // Also what only the owner may see: events of no scope.
  size_t limit = 512;
  bool last =
      false;  // If there are more than `limit`, the last of them; oldest first all the same.
};

class Store {
 public:
  virtual ~Store() = default;

  // A fact is judged by run::apply inside the transaction that writes it. Its refusal is the
  // caller's answer and takes no other fact along. `unavailable` means that nothing was written,
  // but for its reason `commit_unknown`: look, or send it again.
  virtual void write(Write write, Done done) = 0;

  virtual Result<std::optional<run::Record>> find(const RunId& id) = 0;
  // Ids that begin with `prefix`, newest first, at most `limit`.
  virtual Result<std::vector<RunId>> find_prefix(const std::string& prefix, size_t limit) = 0;
  virtual Result<std::vector<run::Record>> list(const Query& query) = 0;
  virtual Result<std::vector<run::Event>> events(const EventQuery& query) = 0;
  // The terminal event of a run, also of one whose record is gone (H4).
  virtual Result<std::optional<run::Event>> terminal_event(const RunId& id) = 0;
  // Whether a run was ever submitted in that scope under that key. Once it was, that stays so.
  virtual Result<bool> knows_key(const std::string& scope, const std::string& key) = 0;
  virtual Result<std::int64_t> last_seq() = 0;
  virtual Result<std::vector<Lane>> lanes() = 0;
  // Scopes with more than `count_max` terminal records, and how many (R9).
  virtual Result<std::vector<std::pair<std::string, std::int64_t>>> crowded_scopes(
      std::int64_t count_max) = 0;
  // Transactions made durable since it was opened, for metrics. From any thread.
  virtual std::uint64_t commits() const { return 0; }
  // A question about the tables that somebody above brought (store/transaction.h).
  virtual Result<Table> query(std::string_view sql, const Values& values) = 0;
};

}  // namespace drover::store
