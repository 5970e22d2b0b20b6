// The cradle gives each request of the daemon's to a keeper: to one that has nothing to do
// (spares.h) or to a new one, forked without exec. It is a small process of its own because forking
// a large one is slow, and it is a subreaper: what a killed keeper leaves behind lands here and is
// killed. When the daemon dies it begins nothing new and stays until its last keeper is gone.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "process/keeper.h"
#include "process/report.h"
#include "process/spares.h"

namespace drover::process {

class CradleLoop {
 public:
  // `requests` is the read end of the daemon's pipe.
  CradleLoop(int requests, const KeeperPlace& place) : requests_(requests), place_(place) {}

  // Returns when the daemon and all keepers are gone.
  int run();

 private:
  void take_requests();
  void begin(const Request& request);
  void daemon_is_gone();
  void reap();
  bool kill_orphans();
  void report_lost();
  bool send(const Report& report);

  int requests_;
  KeeperPlace place_;
  bool daemon_is_gone_ = false;
  Spares spares_;
  std::unordered_map<std::int32_t, std::uint64_t> keepers_;  // pid -> tag of its last request
  struct Lost {
    std::uint64_t tag = 0;
    std::int64_t since = 0;  // Monotonic ns.
  };
  std::vector<Lost> lost_;      // To be reported once their orphans are gone, or will not go.
  std::vector<Report> unsent_;  // Refusals that did not fit into the pipe.
};

}  // namespace drover::process
