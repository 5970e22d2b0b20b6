// Plans notices when a run that waits for others, or for its start time (R17), may be able to
// start. The store then decides whether it can.
//
// A run that is waited for is indexed first and looked up afterwards, unless it is in memory. So
// none can finish unnoticed while the store is asked, however long that takes.
//
// Lives on the daemon's loop.
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "dispatch/host.h"
#include "dispatch/queue/alarms.h"
#include "dispatch/queue/dependents_index.h"
#include "dispatch/queue/needed_runs.h"
#include "run/record.h"
#include "store/dependencies.h"

namespace drover::dispatch {

class Plans {
 public:
  // `host` must outlive it.
  explicit Plans(const Host& host);

  // Takes a record as committed, or as found at startup. `ended`: the run finished with that
  // commit; the runs that waited for it are then reviewed.
  void see(const run::Record& record, bool ended);

  // Whether a held run waits for this one. It may have finished.
  bool need(const RunId& id) const { return needed_runs_.has(id); }

  // Stops reviewing: a reviewed run could be claimed.
  void close() { closed_ = true; }

 private:
  struct Found {  // The answer about a run that is waited for.
    RunId id;
    store::DependencyStatus status;
  };
  static Result<std::vector<Found>> find(store::Reads& store, const std::vector<RunId>& runs);

  void hold(const run::Record& record);
  void look_up(const RunId& id);
  asio::awaitable<void> look_up_all();
  void take(const Found& found);
  bool is_early(const RunId& waiter) const;
  void review(const RunId& id);
  asio::awaitable<void> review_later(RunId id);

  const Host& host_;
  DependentsIndex dependents_;
  NeededRuns needed_runs_;
  Alarms alarms_;
  // Of the held runs that wait for a start time, what decides whether it has come.
  struct Times {
    WallMs queued_at = 0;
    WallMs not_before = 0;
  };
  std::unordered_map<RunId, Times> times_;
  std::unordered_set<RunId> unknown_;  // Indexed, and still to be looked up.
  bool looking_up_ = false;
  bool closed_ = false;
};

}  // namespace drover::dispatch
