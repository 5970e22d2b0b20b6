// Plans are runs that wait for others, or for their time (R17). What they wait for is judged by the
// store; here it is only noticed that it may be over. Lives on the daemon's loop.
#pragma once

#include "dispatch/alarms.h"
#include "dispatch/host.h"
#include "dispatch/waits.h"
#include "run/record.h"

namespace drover::dispatch {

class Plans {
 public:
  // `host` must outlive it.
  explicit Plans(const Host& host);

  // A record as it was committed, or as it was found at the start. `ended`: with that commit.
  // Whoever may go on for it is reviewed.
  void see(const run::Record& record, bool ended);

  // Nothing is reviewed any more: it would be claimed.
  void close() { closed_ = true; }

 private:
  void hold(const run::Record& record);
  void review(const RunId& id);
  asio::awaitable<void> review_later(RunId id);

  const Host& host_;
  Waits waits_;
  Alarms alarms_;
  bool closed_ = false;
};

}  // namespace drover::dispatch
