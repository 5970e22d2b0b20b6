// A Record is the stored state of a run (R1): the row that is listed, shown and deleted. It always
// equals the sum of the run's events.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/id.h"
#include "base/journal.h"
#include "run/life.h"
#include "run/reason.h"
#include "run/retry.h"
#include "run/secrets.h"
#include "run/spec.h"

namespace drover::run {

// The receipt of a run's keeper: which signals it sent to stop the run, and which processes were
// left.
struct Receipt {
  WallMs term_at = 0;  // 0: never sent.
  WallMs kill_at = 0;
  std::int64_t signaled = 0;
  std::int64_t orphans = 0;
  std::int64_t survivors = 0;
  bool drained = true;
  std::int64_t dropped_bytes = 0;         // Output that is not kept.
  std::vector<std::string> killed_names;  // "4711 sleep"
  std::vector<std::string> survivor_names;
  ResourceLimits limits = {};  // The resource limits it had.
  // The resources it used; empty: its keeper recorded none.
  std::optional<UsageRecord> usage = {};
};

struct Record {
  std::int64_t number = 0;  // Order of submission in this store; the list's cursor.
  RunId id;
  std::string trace_id;
  std::string kind;
  std::string scope;
  std::string name;
  State state = State::queued;
  std::optional<Reason> reason;
  std::optional<Origin> origin;
  std::string message;
  std::optional<int> exit_code;
  std::optional<int> signal;
  LaunchStep failed_step = LaunchStep::none;
  int launch_error = 0;              // errno of the failed step.
  std::vector<std::string> command;  // Redacted and bounded; the run's file has the real argv.
  std::string cwd;
  std::map<std::string, std::string> labels;
  std::string lane;
  int attempt = 1;
  std::string parent_run_id;
  OnRestart on_restart = OnRestart::requeue;
  std::int64_t grace_ms = 0;
  WallMs queued_at = 0;
  WallMs started_at = 0;   // 0: not yet.
  WallMs finished_at = 0;  // 0: not yet.
  std::int64_t cpu_ms = 0;
  std::int64_t peak_rss_bytes = 0;
  std::int64_t stdout_bytes = 0;
  std::int64_t stderr_bytes = 0;
  bool cancel_requested = false;
  MonoNs cancel_mono_ns = 0;   // When the cancel was recorded; compared with the exit (R4).
  std::string receipt;         // A Receipt as JSON, written once at the end; empty: none.
  ResourceLimits limits;       // The most that it may use.
  LimitEnforcement limits_by;  // How each limit should be enforced; the receipt says how it was.
  std::int64_t events = 0;     // The number of its events: the next run_seq is one more.

  // Fields that most runs leave empty (R16, R17).
  int priority = 0;       // Within its lane: higher first.
  bool held = false;      // Queued, but not claimable: it waits for other runs, or for its time.
  WallMs not_before = 0;  // 0: at once.
  std::vector<RunId> after, after_any;  // Must have completed; must have finished.
  Retry retry;
  std::string chain;       // The first attempt's id; empty: it is not retried.
  std::string retried_by;  // The next attempt's id; empty: none.

  std::string progress;  // The last of each sort, as JSON (run/progress.h); empty: none.

  std::string phase;  // The progress of a composite, in its room's format (run/kind.h).

  bool waits_for_others() const { return !after.empty() || !after_any.empty(); }
};

// The first version of a run's record. `secrets` are removed from every text that its caller wrote,
// except from identifiers: scope, lane and key.
Record first_record(const Spec& spec, const RunId& id, WallMs now, const Secrets& secrets);

}  // namespace drover::run
