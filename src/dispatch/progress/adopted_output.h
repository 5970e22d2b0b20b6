// AdoptedOutput looks at the output of runs that an earlier daemon started. Their keepers report to
// a daemon that is gone, so this daemon looks at their files, as often as a keeper would report. It
// learns how many bytes were printed, not how many lines. While there are no such runs, it does
// nothing. Lives on the daemon's loop.
#pragma once

#include <unordered_map>

#include "dispatch/host.h"
#include "dispatch/launch/flights.h"

namespace drover::dispatch {

class AdoptedOutput {
 public:
  // Everything borrowed must outlive it.
  AdoptedOutput(const Host& host, Flights& flights) : host_(host), flights_(flights) {}

  // Looks at the run's output until the run has finished.
  void follow(const run::Record& record);

 private:
  asio::awaitable<void> look_on();
  void look(const RunId& id, std::int64_t& seen);

  const Host& host_;
  Flights& flights_;
  std::unordered_map<RunId, std::int64_t> seen_;  // The bytes that were recorded last.
  bool looking_ = false;
};

}  // namespace drover::dispatch
