// A Flight is a run between its claim and its finish: what this daemon knows of it beyond its
// record. Flights is the set of them. It can be dropped and rebuilt from records and journals at
// any time. Lives on the daemon's loop.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "base/id.h"
#include "dispatch/launch/keeper_launcher.h"
#include "run/record.h"

namespace drover::dispatch {

struct Flight {
  std::string program;
  std::string cwd;
  // For a cancel, also while the store does not answer.
  std::string kind = {};
  std::string parent_run_id = {};
  std::int64_t grace_ms = 0;
  bool has_slot = true;  // False: it may still be queued, because its journal was unreadable.
  int attempt = 1;
  int retries_left = 0;  // How often it may be retried.
  bool started = false;
  bool kept_to_the_end = false;  // Its keeper reported the end, and has removed the environment.
  MonoNs launched = 0;           // When this daemon launched it; 0: it did not.
  bool inherited = false;        // From an earlier daemon, and not examined yet.
};

class Flights {
 public:
  // Everything borrowed must outlive it.
  Flights(asio::any_io_executor loop, KeeperLauncher& launcher, const Clock& clock);

  // Launches a run that has a slot, unless it is in flight already.
  void begin(const run::Record& record);
  // The same without a launch: adds the run to the set. If the run is in flight already, the fields
  // that come from its record are updated.
  Flight& track(const run::Record& record);

  Flight* find(const RunId& id);
  bool contains(const RunId& id) const { return flights_.contains(id); }
  bool empty() const { return flights_.empty(); }
  size_t size() const { return flights_.size(); }
  // Whether every keeper has reported the end of its run: no process of a run is left.
  bool are_all_kept_to_the_end() const;
  std::vector<RunId> ids() const;

  // The run has finished: removes it from the set. Returns nothing if it was not in flight.
  std::optional<Flight> remove(const RunId& id);
  // Returns at the next call of `remove`, or after `at_most`.
  asio::awaitable<void> wait_for_removal(std::chrono::milliseconds at_most);

 private:
  KeeperLauncher& launcher_;
  const Clock& clock_;
  std::unordered_map<RunId, Flight> flights_;
  asio::steady_timer removed_;  // Canceled by every `remove`.
};

}  // namespace drover::dispatch
