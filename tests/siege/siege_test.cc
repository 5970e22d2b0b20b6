// The standing siege: attacks of all kinds, mixed by seed, for a given time, beside ordinary load.
// Throughout, the runs of other users start, end truthfully and are answered in time. At the end
// nothing lives that should not, the records are verified, and memory and descriptors are back.
//
// DROVER_SIEGE_SECONDS sets the time of the attacks (default 70: two minutes in all),
// DROVER_SIEGE_SEED the seed. `./dev siege` runs an hour.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "tests/siege/attack.h"
#include "tests/siege/bystander.h"
#include "tests/siege/chronicle.h"
#include "tests/siege/holdings.h"
#include "tests/siege/neighbor.h"

namespace drover::siege {
namespace {

using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr int kAttackers = 2;  // At once, as many as the smallest machine has cores.
// The loop may be late for one of so many requests, and that long: with more work than cores, the
// kernel lets it wait, too.
constexpr long kLateRequestsMax = 20;
constexpr long kLateMsMax = 2'000;
constexpr int kQuietRuns = 60;  // To measure before the siege, and after it.

std::uint64_t setting(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

class StandingSiege : public ::testing::Test {
 protected:
  StandingSiege()
      : seed_(setting("DROVER_SIEGE_SEED", 1)), time_(setting("DROVER_SIEGE_SECONDS", 70)) {
    target_.start_daemon();
  }

  void strike(const Attack& attack, tests::SeededRandom& random) {
    SCOPED_TRACE("the attack: " + std::string(attack.name) + "; to repeat the siege: " + command());
    std::unique_lock<std::mutex> turn(target_.one_outage, std::defer_lock);
    if (attack.is_outage) {
      turn.lock();
      target_.outages.begin();
    }
    const pid_t daemon = target_.daemon();  // Another outage may have replaced it before.
    const WallMs begun = SystemClock().wall_ms();
    attack.strike(target_, random);
    chronicle_.note(attack.name, begun);
    if (attack.is_outage) target_.outages.end();
    if (attack.is_outage && !attack.kills_daemon) {  // Still our turn.
      EXPECT_EQ(target_.daemon(), daemon);
      const Fd alive = tests::open_pid(daemon);
      EXPECT_TRUE(alive) << "the daemon has died";
    }
  }

  // Each attacker draws with its own dice; each attack once, before any is repeated. In the last
  // third nobody kills the daemon: what it leaks must be seen. Nor does an attack begin that takes
  // long.
  void besiege(std::uint64_t seed) {
    tests::SeededRandom random(seed);
    std::vector<Attack> left;
    while (steady_clock::now() < end_ && !HasFailure()) {
      if (left.empty()) left = random.shuffled(every_attack());
      const Attack attack = left.back();
      left.pop_back();
      const bool is_late = steady_clock::now() > end_ - seconds(time_) / 3;
      if (!is_late || !(attack.kills_daemon || attack.takes_long)) strike(attack, random);
    }
  }

  template <class User>
  void live_beside(User& user, int pause) {
    SCOPED_TRACE("to repeat the siege: " + command());
    while (steady_clock::now() < end_ && !HasFailure()) {
      user.run_one();
      pause_ms(pause);
    }
  }

  void expect_loops_in_time() const {
    LoopDelays delays = target_.killed_delays;
    delays.add(target_.loop_delays());
    std::cout << "loop: " << delays.beyond_bound << " of " << delays.measured
              << " delays beyond the bound, the longest " << delays.longest_ms << " ms\n";
    EXPECT_GT(delays.measured, 0);
    EXPECT_LE(delays.beyond_bound * kLateRequestsMax, delays.measured) << "too often late";
    EXPECT_LE(delays.longest_ms, kLateMsMax);
  }

  void TearDown() override {
    if (!HasFailure()) return;
    std::cout << "The attacks:\n"
              << chronicle_.text() << "The daemon's log:\n"
              << std::ifstream(target_.flock.home().log()).rdbuf();
  }

  static void live_in_quiet(Bystander& bystander, Neighbor& neighbor) {
    for (int i = 0; i < kQuietRuns; ++i) bystander.run_one();
    for (int i = 0; i < kQuietRuns / 3; ++i) neighbor.run_one();
  }

  // Prints how long it took until here.
  void reached(const char* what) const {
    const auto time = std::chrono::duration_cast<seconds>(steady_clock::now() - begin_);
    std::cout << "after " << time.count() << " s: " << what << std::endl;
  }

  std::string command() const {
    return "./dev siege --seconds " + std::to_string(time_) + " --seed " + std::to_string(seed_);
  }

  std::uint64_t seed_, time_;
  const steady_clock::time_point begin_ = steady_clock::now();
  steady_clock::time_point end_;
  Chronicle chronicle_;
  Target target_;
};

// H1, H10, R4, R7, R11, R14: throughout the siege, and after it.
TEST_F(StandingSiege, LeavesOtherUsersAlone) {
  Bystander bystander(target_);
  Neighbor neighbor;
  live_in_quiet(bystander, neighbor);
  // The first reader that follows a run's output opens the watch that all readers share.
  EXPECT_EQ(target_.flock.ok({"run", "--", "/bin/sh", "-c", "seq 1 100000"}).substr(0, 4),
            "1\n2\n");
  const Holdings quiet = holdings_of(target_.daemon());
  const Holdings neighbors_quiet = holdings_of(neighbor.daemon());
  target_.tls_port = neighbor.port();
  reached("the siege begins");
  bystander.begin_siege();
  neighbor.begin_siege();
  end_ = steady_clock::now() + seconds(time_);
  {
    tests::SeededRandom random(seed_);
    std::vector<std::jthread> all;
    for (int i = 0; i < kAttackers; ++i) {
      all.emplace_back([this, own = random.seed()] { besiege(own); });
    }
    all.emplace_back([&] { live_beside(bystander, 10); });
    all.emplace_back([&] { live_beside(neighbor, 200); });
  }
  reached("the last attack has ended");
  SCOPED_TRACE("after " + std::to_string(chronicle_.count()) +
               " attacks; to repeat them: " + command());
  bystander.expect_nothing_lost();
  target_.wait_for_rest();
  reached("all runs have finished");
  bystander.end_siege();
  neighbor.end_siege();
  live_in_quiet(bystander, neighbor);
  std::cout << chronicle_.summary() << chronicle_.count() << " attacks\nbystander: in quiet "
            << describe(bystander.quiet()) << "; under siege " << describe(bystander.siege())
            << "\nneighbor: in quiet " << describe(neighbor.quiet()) << "; under siege "
            << describe(neighbor.siege()) << "\n";
  std::cout << "the slowest runs of the bystander:\n" << chronicle_.blame(bystander.siege());
  expect_answered_in_time(bystander.quiet(), bystander.siege(), "a user of the same daemon");
  expect_answered_in_time(neighbor.quiet(), neighbor.siege(), "a user of another daemon");
  EXPECT_EQ(target_.census.alive(), std::vector<std::string>{});
  expect_loops_in_time();
  expect_back(quiet, target_.daemon(),
              [&] { (void)target_.ask({.method = "GET", .target = "/api/status"}); });
  expect_back(neighbors_quiet, neighbor.daemon(), [&] { neighbor.run_one(); });
  reached("descriptors and memory are back");
  target_.flock.expect_verified();
  neighbor.expect_verified();
  reached("the records are verified");
  target_.flock.ok({"stop"});
  wait_until("every program has exited", [&] { return target_.census.alive_with_home().empty(); });
  EXPECT_EQ(target_.census.alive_with_home(), std::vector<std::string>{});
}

}  // namespace
}  // namespace drover::siege
