// A flight is a run between its claim and its end: what this daemon knows of it beyond its record.
// Flights are all of them. They can be thrown away and made anew from records and journals at any
// time. Lives on the daemon's loop.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/id.h"
#include "dispatch/launcher.h"
#include "run/record.h"

namespace drover::dispatch {

struct Flight {
  std::string program;
  std::string cwd;
  int attempt = 1;
  int retries_left = 0;  // How often it may come again.
  bool started = false;
  bool kept_to_the_end = false;  // By a keeper, which cleans up after itself.
  bool inherited = false;        // From another daemon, and not yet looked at.
};

class Flights {
 public:
  // `launcher` must outlive it.
  Flights(asio::any_io_executor loop, Launcher& launcher);

  // Launches a run that was given a slot, unless it is in flight already.
  void begin(const run::Record& record);
  // Without a launch. Of one that is in flight, what follows from the record is set anew.
  Flight& take_off(const run::Record& record);

  Flight* find(const RunId& id);
  bool contains(const RunId& id) const { return flights_.contains(id); }
  bool empty() const { return flights_.empty(); }

  // The run has ended, in flight or not.
  std::optional<Flight> land(const RunId& id);
  // Until the next run ends, and no longer than that.
  asio::awaitable<void> next_landing(std::chrono::milliseconds at_most);

 private:
  Launcher& launcher_;
  std::unordered_map<RunId, Flight> flights_;
  asio::steady_timer landed_;  // Canceled whenever a run ends.
};

}  // namespace drover::dispatch
