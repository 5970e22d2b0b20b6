// Orphans are processes of dead keepers that became children of this daemon. The daemon is the
// subreaper of last resort: everything that a keeper leaves goes to its cradle, which kills it; if
// the cradle is dead, too, it comes here, together with the keepers that are alive. So a child that
// is neither the cradle nor a keeper is an orphan, whatever it has shed. It is killed with
// everything below it, and every child is reaped.
//
// A keeper is recognized by its session, which is that of its cradle; commands have their own.
// Lives on the daemon's loop.
#pragma once

#include <boost/asio/signal_set.hpp>
#include <string>
#include <unordered_map>
#include <vector>

#include "dispatch/host.h"
#include "dispatch/launch/flights.h"
#include "dispatch/launch/launcher.h"
#include "process/marks.h"

namespace drover::dispatch {

class Orphans {
 public:
  // Everything borrowed must outlive it.
  Orphans(const Host& host, Launcher& launcher, const Flights& flights);

  // Becomes a subreaper; called once, before the first cradle is started. A process that has
  // children already does not: they, and what they leave, are not ours.
  void begin();

  // Kills all orphans. Returns when they are gone; those that could not be killed within the bound
  // are in `left()`.
  asio::awaitable<void> clear();
  const std::vector<process::Found>& left() const { return left_; }

 private:
  void obey_signals();
  bool reap();
  bool kill_all();
  bool is_orphan(const process::Member& child) const;
  std::unordered_map<std::int32_t, std::string> owners(const process::ProcessTable& all) const;
  void tell();

  const Host& host_;
  Launcher& launcher_;
  const Flights& flights_;
  asio::signal_set signals_;
  bool begun_ = false;
  bool clearing_ = false;
  std::vector<process::Found> left_;
  std::vector<ProcessRef> told_;  // Orphans that are in the log.
};

}  // namespace drover::dispatch
