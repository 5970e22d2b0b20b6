#include "dispatch/waits.h"

#include <gtest/gtest.h>

#include "testing/clock.h"

namespace drover::dispatch {
namespace {

using Ids = std::vector<RunId>;

class WaitsTest : public ::testing::Test {
 protected:
  static run::Record ended(const RunId& id, run::State state = run::State::completed) {
    run::Record r;
    r.id = id;
    r.state = state;
    return r;
  }
  drover::testing::ManualClock clock_;
  IdMaker ids_{clock_};
  const RunId a_ = ids_.next(), b_ = ids_.next(), x_ = ids_.next(), y_ = ids_.next();
  Waits waits_;
};

// R17: a run is looked at again when the last of those it waits for has ended, not at each.
TEST_F(WaitsTest, TellsWhenTheLastHasEnded) {
  waits_.add(x_, a_, true);
  waits_.add(x_, b_, true);
  waits_.add(y_, b_, false);
  EXPECT_EQ(waits_.ended(ended(a_)), Ids{});
  EXPECT_EQ(waits_.ended(ended(b_)), (Ids{x_, y_}));
  EXPECT_EQ(waits_.ended(ended(b_)), Ids{});  // Told once.
}

// R17: a failure is told at once to those who need a success.
TEST_F(WaitsTest, TellsOfAFailureAtOnce) {
  for (const RunId& waiter : {x_, y_}) {
    waits_.add(waiter, a_, waiter == x_);
    waits_.add(waiter, b_, true);
  }
  EXPECT_EQ(waits_.ended(ended(a_, run::State::failed)), Ids{x_});
}

// R17: who waits for a run that comes again waits for the next attempt.
TEST_F(WaitsTest, PassesOnToTheNextAttempt) {
  waits_.add(x_, a_, true);
  run::Record again = ended(a_, run::State::failed);
  again.retried_by = b_.str();
  EXPECT_EQ(waits_.ended(again), Ids{});
  EXPECT_EQ(waits_.ended(ended(b_)), Ids{x_});
}

// R17: whoever is called is forgotten: if he waits on, it is for one that nobody here knows of yet.
TEST_F(WaitsTest, ForgetsWhomItCalls) {
  waits_.add(x_, a_, true);
  waits_.add(x_, b_, true);
  EXPECT_EQ(waits_.ended(ended(a_, run::State::failed)), Ids{x_});
  EXPECT_FALSE(waits_.knows(x_));
  EXPECT_EQ(waits_.ended(ended(b_)), Ids{});
}

// Who has left is not called; the one that it waited for is still waited for by others.
TEST_F(WaitsTest, ForgetsWhoHasLeft) {
  waits_.add(x_, a_, true);
  waits_.add(y_, a_, true);
  waits_.forget(x_);
  EXPECT_FALSE(waits_.knows(x_));
  EXPECT_EQ(waits_.ended(ended(a_)), Ids{y_});
}

}  // namespace
}  // namespace drover::dispatch
