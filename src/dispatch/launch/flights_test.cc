#include "dispatch/launch/flights.h"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include "testing/clock.h"

namespace drover::dispatch {
namespace {

class FlightsTest : public ::testing::Test {
 protected:
  run::Record record(run::State state) {
    run::Record r;
    r.id = ids_.next();
    r.state = state;
    r.command = {"make", "test"};
    r.cwd = "/src";
    return r;
  }
  drover::testing::ManualClock clock_;
  IdMaker ids_{clock_};
  asio::io_context loop_;
  KeeperLauncher launcher_{
      loop_.get_executor(), {}, "", 0, ""};  // Without a cradle it only queues.
  Flights flights_{loop_.get_executor(), launcher_, clock_};
};

// A run is launched when its record says `starting`, and in no other state.
TEST_F(FlightsTest, LaunchARunInStateStarting) {
  for (const run::State state : run::kStates) {
    const run::Record shown = record(state);
    flights_.begin(shown);
    EXPECT_EQ(flights_.contains(shown.id), state == run::State::starting);
  }
}

// A record that is shown a second time launches nothing, and the flight is unchanged.
TEST_F(FlightsTest, LaunchARunOnce) {
  const run::Record shown = record(run::State::starting);
  flights_.begin(shown);
  flights_.find(shown.id)->program = "known since";
  flights_.begin(shown);
  EXPECT_EQ(flights_.find(shown.id)->program, "known since");
}

// A flight knows what is needed to record its finish, and how often the run may be retried.
TEST_F(FlightsTest, KeepWhatItsFinishNeeds) {
  run::Record shown = record(run::State::starting);
  shown.attempt = 2;
  shown.retry.max = 3;
  const Flight& flight = flights_.track(shown);
  EXPECT_EQ(flight.program, "make");
  EXPECT_EQ(flight.cwd, "/src");
  EXPECT_EQ(flight.retries_left, 2);
  shown.attempt = 4;
  EXPECT_EQ(flights_.track(shown).retries_left, 0);
}

// A waiter for a removal is woken by every finish, also of a run that was not in flight.
TEST_F(FlightsTest, AFinishWakesWaiters) {
  int removals = 0;
  const run::Record tracked = record(run::State::starting);
  flights_.begin(tracked);
  for (const RunId& id : {tracked.id, ids_.next()}) {
    asio::co_spawn(loop_, flights_.wait_for_removal(std::chrono::hours(1)),
                   [&](std::exception_ptr) { ++removals; });
    loop_.restart();
    loop_.poll();
    const int before = removals;
    EXPECT_EQ(flights_.remove(id).has_value(), id == tracked.id);
    loop_.restart();
    loop_.poll();
    EXPECT_EQ(removals, before + 1);
  }
  EXPECT_TRUE(flights_.empty());
}

}  // namespace
}  // namespace drover::dispatch
