// A Sweeper kills what is left of runs whose keeper is dead, before their finish is recorded (R7).
// Runs that are lost at the same time share one search of all processes. Lives on the daemon's
// loop; the search is done on the janitor's thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dispatch/files/run_directories.h"
#include "dispatch/host.h"
#include "dispatch/launch/flights.h"
#include "dispatch/launch/keeper_launcher.h"
#include "dispatch/recovery/orphans.h"
#include "process/marks.h"

namespace drover::dispatch {

class Sweeper {
 public:
  // Everything borrowed must outlive it. `cgroups` is the directory of the runs' cgroups, or empty.
  Sweeper(const Host& host, const KeeperLauncher& launcher, const Flights& flights,
          Orphans& orphans, RunDirectories& directories, std::string cgroups);

  // Returns the processes that could not be killed.
  asio::awaitable<std::vector<process::Member>> sweep(RunId id, JournalText journal);

 private:
  struct Batch;
  asio::awaitable<void> run();

  const Host& host_;
  const KeeperLauncher& launcher_;
  const Flights& flights_;
  Orphans& orphans_;
  RunDirectories& directories_;
  const std::string cgroups_;
  std::shared_ptr<Batch> next_;  // Of the runs that wait for the next search.
  bool running_ = false;
};

}  // namespace drover::dispatch
