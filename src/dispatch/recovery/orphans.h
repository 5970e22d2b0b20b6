// Orphans are processes of dead keepers that became children of this daemon. The daemon is the
// subreaper of last resort: everything that a keeper leaves goes to its cradle, which kills it; if
// the cradle is dead, too, it comes here, together with the keepers that are alive. So a child that
// is neither the cradle nor a keeper is an orphan, whatever it has shed. It is killed with
// everything below it, and every child is reaped.
//
// A keeper is recognized by its process session, which is that of its cradle; commands have their
// own.
//
// Lives on the daemon's loop. All processes are read and killed on the janitor's thread; the loop
// decides in between which children are orphans, because it alone starts cradles.
#pragma once

#include <boost/asio/signal_set.hpp>
#include <string>
#include <vector>

#include "dispatch/files/run_directories.h"
#include "dispatch/host.h"
#include "dispatch/launch/flights.h"
#include "dispatch/launch/keeper_launcher.h"
#include "process/marks.h"

namespace drover::dispatch {

class Orphans {
 public:
  // Everything borrowed must outlive it.
  Orphans(const Host& host, KeeperLauncher& launcher, const Flights& flights,
          RunDirectories& directories);

  // Becomes a subreaper; called once, before the first cradle is started. Does nothing if this
  // process already has children: they do not belong to Drover.
  void begin();

  // Kills all orphans. Returns when they are gone, or after the bound those that are left.
  asio::awaitable<std::vector<process::MarkedProcess>> clear();

 private:
  struct Scan;
  void obey_signals();
  asio::awaitable<void> obey();
  bool reap();
  asio::awaitable<bool> kill_all(std::vector<process::MarkedProcess>& left);
  void tell(const std::vector<process::MarkedProcess>& left);

  const Host& host_;
  KeeperLauncher& launcher_;
  const Flights& flights_;
  RunDirectories& directories_;
  asio::signal_set signals_;
  bool begun_ = false;
  bool obeying_ = false;
  bool rung_ = false;             // A child has exited since the last search for orphans began.
  std::vector<ProcessRef> told_;  // Orphans that are in the log.
};

}  // namespace drover::dispatch
