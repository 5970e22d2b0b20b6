// The Target is the besieged daemon, on a disk that can fail, with a door over TCP. All attackers
// and bystanders share it. Any thread.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <string>

#include "tests/disk/failing_disk.h"
#include "tests/harness.h"
#include "tests/seeded_random.h"
#include "tests/siege/census.h"
#include "tests/torture/caller.h"

namespace drover::siege {

// While there is an outage on purpose, nobody is answered in time.
class Outages {
 public:
  void begin() { ++active_, ++begun_; }
  void end() { --active_; }
  // Compare two of them: nothing was broken in between if they are equal and not -1.
  long stamp() const { return active_ > 0 ? -1 : begun_.load(); }

 private:
  std::atomic<int> active_ = 0;
  std::atomic<long> begun_ = 0;
};

// How late the loops of the daemons were: docs/testing.md.
struct LoopDelays {
  long measured = 0;
  long beyond_bound = 0;  // limits::kLoopTurnMs.
  long longest_ms = 0;

  void add(const LoopDelays& other);
};

class Target {
 public:
  Target();
  ~Target();

  // Asks once. Empty: nobody answered.
  std::optional<tests::DaemonAnswer> ask_once(const tests::Request& request) const;
  // Asks until there is an answer that is not a temporary refusal (503).
  tests::DaemonAnswer ask(const tests::Request& request) const;
  // The record of a run that has finished.
  tests::DaemonAnswer ended(const std::string& id) const;
  // Waits until the animal of this run is ready. False: it never starts, the disk was full.
  bool is_ready(const std::string& id, const std::string& den) const;
  // Waits until no run of that scope, or of any, is active.
  void wait_for_rest(const std::string& scope = "") const;
  // Starts a run of the owner; returns its id.
  std::string submit(boost::json::array command, const std::string& grace = "50ms") const;

  // Starts the daemon, on the disk, if there is none.
  void start_daemon();
  pid_t daemon() const { return daemon_; }
  pid_t cradle() const;  // 0: there is none now.
  std::uint16_t port() const;
  // Of this daemon so far. Empty: it does not answer.
  LoopDelays loop_delays() const;

  tests::FailingDisk disk;  // Before the flock: it must answer until the last program is gone.
  tests::Flock flock;
  Census census;
  Outages outages;
  LoopDelays killed_delays;    // Of the daemons that were killed.
  std::uint16_t tls_port = 0;  // Of the neighbor's daemon.
  std::mutex one_outage;       // They do not overlap, so that each can be blamed.

 private:
  std::atomic<pid_t> daemon_ = 0;
};

// Whether the run was not launched because the disk was full: it never starts, and says so.
bool lacked_space(const tests::DaemonAnswer& record);

// Waits for a moment of random length: attacks meet everything else at different times.
void pause_ms(int ms);
// Repeats `is_true` until it is. Fails the test after a minute.
void wait_until(const char* what, const std::function<bool()>& is_true);

}  // namespace drover::siege
