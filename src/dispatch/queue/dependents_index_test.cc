#include "dispatch/queue/dependents_index.h"

#include <gtest/gtest.h>

#include "testing/clock.h"

namespace drover::dispatch {
namespace {

using Ids = std::vector<RunId>;

class DependentsIndexTest : public ::testing::Test {
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
  DependentsIndex dependents_;
};

// R17: a run is reviewed when the last of its dependencies has finished, not at each.
TEST_F(DependentsIndexTest, ReturnsAWaiterAfterItsLastDependency) {
  dependents_.add(x_, a_, true);
  dependents_.add(x_, b_, true);
  dependents_.add(y_, b_, false);
  EXPECT_EQ(dependents_.ended(ended(a_)), Ids{});
  EXPECT_EQ(dependents_.ended(ended(b_)), (Ids{x_, y_}));
  EXPECT_EQ(dependents_.ended(ended(b_)), Ids{});  // Returned once.
}

// R17: a failure is reported at once to the runs that need a success.
TEST_F(DependentsIndexTest, ReturnsAWaiterAtOnceAfterAFailure) {
  for (const RunId& waiter : {x_, y_}) {
    dependents_.add(waiter, a_, waiter == x_);
    dependents_.add(waiter, b_, true);
  }
  EXPECT_EQ(dependents_.ended(ended(a_, run::State::failed)), Ids{x_});
}

// R17: a run whose dependency is retried waits for the next attempt.
TEST_F(DependentsIndexTest, PassesOnToTheNextAttempt) {
  dependents_.add(x_, a_, true);
  run::Record again = ended(a_, run::State::failed);
  again.retried_by = b_.str();
  EXPECT_EQ(dependents_.ended(again), Ids{});
  EXPECT_EQ(dependents_.ended(ended(b_)), Ids{x_});
}

// R17: a returned run is forgotten: if it keeps waiting, it is for a run that is not indexed yet.
TEST_F(DependentsIndexTest, ForgetsAReturnedWaiter) {
  dependents_.add(x_, a_, true);
  dependents_.add(x_, b_, true);
  EXPECT_EQ(dependents_.ended(ended(a_, run::State::failed)), Ids{x_});
  EXPECT_FALSE(dependents_.knows(x_));
  EXPECT_EQ(dependents_.ended(ended(b_)), Ids{});
}

// A run that left is not returned; its dependency still has its other waiters.
TEST_F(DependentsIndexTest, ForgetsAWaiterThatLeft) {
  dependents_.add(x_, a_, true);
  dependents_.add(y_, a_, true);
  dependents_.forget(x_);
  EXPECT_FALSE(dependents_.knows(x_));
  EXPECT_EQ(dependents_.ended(ended(a_)), Ids{y_});
}

}  // namespace
}  // namespace drover::dispatch
