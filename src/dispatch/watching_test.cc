// The dispatcher acts on everything that the spine shows, from any caller and however late.
#include "dispatch/dispatcher_fixture.h"

namespace drover::dispatch {
namespace {

using drover::testing::BreakWhen;
using run::State;

class WatchingTest : public RunDispatcherTest {
 protected:
  void record(store::Write write) {
    EXPECT_TRUE(world_->await(world_->spine.record(std::move(write))));
  }
  // A run that is active until the test ends it.
  RunId running() {
    const RunId id = submit(shell("sleep 1000", "one"));
    until(id, [](const run::Record& r) { return r.state == State::running; });
    return id;
  }
  LaneControl& lanes() { return world_->dispatcher.lanes(); }
};

// Facts recorded by others are acted on: a canceled run leaves its queue, a moved one is claimed in
// its new lane.
TEST_F(WatchingTest, ActsOnFactsRecordedByOthers) {
  const RunId first = running();
  const RunId canceled = submit(shell("exit 0", "one")), moved = submit(shell("exit 0", "one"));
  EXPECT_EQ(lanes().queued(), 2U);
  record(run::CancelRequested{.id = canceled, .of_any_kind = true, .only_queued = true});
  EXPECT_EQ(lanes().queued(), 1U);
  record(run::Moved{.id = moved, .lane = "two", .priority = {}});
  EXPECT_EQ(until_ended(moved).state, State::completed);
  cancel(first, 0);
  until_ended(first);
}

// A claim that landed without an answer, while the store could not be read either, is acted on once
// it can.
TEST_F(WatchingTest, ActsOnALateCommit) {
  const RunId first = running();
  const RunId second = submit(shell("exit 3", "one"));
  EXPECT_EQ(cancel(first, 0), CancelOutcome::cancel_requested);
  // The finish of the first, then the claim of the second.
  breaking_.break_write(2, BreakWhen::after);
  breaking_.break_reads(true);
  until(second, [](const run::Record& r) { return r.state == State::starting; });
  until_true([&] { return breaking_.writes() > 2; });  // The claim was refused, then.
  EXPECT_EQ(find(second).state, State::starting);
  breaking_.break_reads(false);
  EXPECT_EQ(until_ended(second).exit_code, 3);
  EXPECT_EQ(history(second).size(), kWholeLife.size());
  until_true([&] { return lanes().active() == 0; });
}

// A submission that landed without an answer, while the store could not be read either, runs all
// the same.
TEST_F(WatchingTest, RunsASubmissionOfUnknownFate) {
  breaking_.break_write(1, BreakWhen::after);
  breaking_.break_reads(true);
  EXPECT_FALSE(world_->await(world_->dispatcher.submit(shell("exit 3"))));
  breaking_.break_reads(false);
  EXPECT_EQ(until_ended(store_.list({})->front().id).exit_code, 3);
}

// A run costs at most three writes: its submission, its start and its finish.
TEST_F(WatchingTest, CostsThreeWrites) {
  breaking_.break_write(0, BreakWhen::before);
  const RunId id = submit(shell("exit 0"));
  until_ended(id);
  until_true([&] { return lanes().active() == 0; });
  EXPECT_LE(breaking_.writes(), 3);
  EXPECT_EQ(history(id), kWholeLife);
}

}  // namespace
}  // namespace drover::dispatch
