// The cradle hands each request of the daemon to a keeper: to an idle one (spares.h), or to a new
// one, forked without exec. It is a small process of its own because forking a large one is slow.
// It is a subreaper: the processes of a killed keeper become its children, and it kills them. When
// the daemon dies, the cradle starts nothing new and exits after its last keeper.
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
  // `requests` is the socket of the daemon.
  CradleLoop(int requests, const KeeperPlace& place) : requests_(requests), place_(place) {}

  // Returns when the daemon and all keepers have exited.
  int run();

 private:
  void take_requests();
  void begin(const Request& request);
  void daemon_is_gone();
  void reap();
  bool kill_orphans();
  bool clear_cgroups();
  void report_lost();
  bool send(const Report& report);

  int requests_;
  KeeperPlace place_;
  bool daemon_is_gone_ = false;
  Spares spares_;
  std::unordered_map<std::int32_t, std::uint64_t> keepers_;  // pid -> tag of its last request
  struct Lost {
    std::uint64_t tag = 0;
    std::int32_t keeper = 0;
    std::int64_t since = 0;  // Monotonic ns.
  };
  std::vector<Lost> lost_;      // Reported once their orphans are gone, or cannot be killed.
  std::vector<Report> unsent_;  // Refusals that did not fit into the socket.
};

}  // namespace drover::process
