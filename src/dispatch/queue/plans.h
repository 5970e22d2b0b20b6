// Plans notices when a run that waits for others, or for its start time (R17), may be able to
// start. The store then decides whether it can. Lives on the daemon's loop.
#pragma once

#include "dispatch/host.h"
#include "dispatch/queue/alarms.h"
#include "dispatch/queue/needs.h"
#include "dispatch/queue/waits.h"
#include "run/record.h"

namespace drover::dispatch {

class Plans {
 public:
  // `host` must outlive it.
  explicit Plans(const Host& host);

  // Takes a record as committed, or as found at startup. `ended`: the run finished with that
  // commit; the runs that waited for it are then reviewed.
  void see(const run::Record& record, bool ended);

  // Whether a held run waits for this one. It may have finished.
  bool need(const RunId& id) const { return needs_.has(id); }

  // Stops reviewing: a reviewed run could be claimed.
  void close() { closed_ = true; }

 private:
  void hold(const run::Record& record);
  void review(const RunId& id);
  asio::awaitable<void> review_later(RunId id);

  const Host& host_;
  Waits waits_;
  Needs needs_;
  Alarms alarms_;
  bool closed_ = false;
};

}  // namespace drover::dispatch
