#include "dispatch/queue/lanes.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "testing/clock.h"

namespace drover::dispatch {
namespace {

class LanesTest : public ::testing::Test {
 protected:
  run::Record record(const std::string& lane, run::State state = run::State::queued) {
    run::Record r;
    r.id = ids_.next();
    r.number = ++number_;
    r.lane = lane;
    r.state = state;
    return r;
  }
  drover::testing::ManualClock clock_;
  IdMaker ids_{clock_};
  std::int64_t number_ = 0;
  Lanes lanes_;
};

// R16: first come, first served, and never more than the limit.
TEST_F(LanesTest, PicksTheOldestUpToTheLimit) {
  lanes_.set_limit("a", 2);
  std::vector<run::Record> runs;
  for (int i = 0; i < 4; ++i) runs.push_back(record("a"));
  // The order of seeing does not matter.
  for (auto it = runs.rbegin(); it != runs.rend(); ++it) lanes_.see(*it);
  EXPECT_EQ(lanes_.pick(), (std::vector{runs[0].id, runs[1].id}));
  EXPECT_TRUE(lanes_.pick().empty());
  runs[0].state = run::State::completed;
  lanes_.see(runs[0]);
  EXPECT_EQ(lanes_.pick(), std::vector{runs[2].id});
}

// R16: a new lane runs one at a time; lanes do not wait for each other.
TEST_F(LanesTest, LanesAreIndependent) {
  const run::Record a = record("a"), a2 = record("a"), b = record("b");
  for (const run::Record& r : {a, a2, b}) lanes_.see(r);
  EXPECT_EQ(lanes_.pick(), (std::vector{a.id, b.id}));
  EXPECT_EQ(lanes_.queued(), 1U);
  EXPECT_EQ(lanes_.active(), 2U);
}

// R16: the highest priority first; among equals, first come, first served.
TEST_F(LanesTest, HigherPriorityComesFirst) {
  lanes_.set_limit("a", 3);
  std::vector<run::Record> runs;
  for (const int priority : {0, -1, 5, 5, 0}) {
    runs.push_back(record("a"));
    runs.back().priority = priority;
    lanes_.see(runs.back());
  }
  EXPECT_EQ(lanes_.ahead_of(runs[1]), 4U);
  EXPECT_EQ(lanes_.pick(), (std::vector{runs[2].id, runs[3].id, runs[0].id}));
  EXPECT_EQ(lanes_.ahead_of(runs[4]), 0U);
  EXPECT_EQ(lanes_.ahead_of(runs[2]), std::nullopt);
}

// R16: a paused lane is skipped, and keeps its queue.
TEST_F(LanesTest, APausedLaneGivesNoSlot) {
  const run::Record waiting = record("a");
  lanes_.see(waiting);
  lanes_.set_paused("a", true);
  EXPECT_TRUE(lanes_.pick().empty());
  lanes_.set_paused("a", false);
  EXPECT_EQ(lanes_.pick(), std::vector{waiting.id});
}

// R17: a held run delays no other run, and is counted as queued.
TEST_F(LanesTest, AHeldRunDelaysNoOther) {
  run::Record held = record("a");
  held.held = true;
  const run::Record next = record("a");
  lanes_.see(held);
  lanes_.see(next);
  EXPECT_EQ(lanes_.queued(), 2U);
  EXPECT_EQ(lanes_.pick(), std::vector{next.id});
  run::Record done = next;
  done.state = run::State::completed;
  lanes_.see(done);
  EXPECT_TRUE(lanes_.pick().empty());
  held.held = false;
  lanes_.see(held);
  EXPECT_EQ(lanes_.pick(), std::vector{held.id});
}

// R16: a moved run leaves its old place, even if it had just been picked there or was claimed in
// its new lane before it was shown.
TEST_F(LanesTest, AMovedRunLeavesItsOldPlace) {
  for (const bool picked : {false, true}) {
    for (const run::State state : {run::State::queued, run::State::starting}) {
      run::Record moved = record("a");
      lanes_.see(moved);
      if (picked) EXPECT_EQ(lanes_.pick(), std::vector{moved.id});
      moved.lane = "b";
      moved.priority = 4;
      moved.state = state;
      lanes_.see(moved);
      EXPECT_EQ(lanes_.queued(), state == run::State::queued ? 1U : 0U);
      EXPECT_EQ(lanes_.active(), state == run::State::queued ? 0U : 1U);
      EXPECT_EQ(lanes_.numbers().front().active + lanes_.numbers().front().queued, 0U);
      moved.state = run::State::canceled;
      lanes_.see(moved);
    }
  }
}

// R16: a run that was moved within its lane is in its new place only.
TEST_F(LanesTest, ARunMovesWithinItsLane) {
  run::Record first = record("a"), second = record("a");
  lanes_.see(first);
  lanes_.see(second);
  second.priority = 1;
  lanes_.see(second);
  EXPECT_EQ(lanes_.ahead_of(first), 1U);
  EXPECT_EQ(lanes_.queued(), 2U);
  EXPECT_EQ(lanes_.pick(), std::vector{second.id});
}

// A deleted run is shown without its lane: its slot is freed all the same.
TEST_F(LanesTest, AFinishWithoutALaneFreesTheSlot) {
  run::Record gone = record("a", run::State::running);
  lanes_.see(gone);
  gone.lane.clear();
  gone.state = run::State::completed;
  lanes_.see(gone);
  EXPECT_EQ(lanes_.active(), 0U);
}

// A run whose claim was refused waits again, in its old place.
TEST_F(LanesTest, ARefusedClaimKeepsItsPlace) {
  const run::Record first = record("a"), second = record("a");
  lanes_.see(first);
  lanes_.see(second);
  EXPECT_EQ(lanes_.pick(), std::vector{first.id});
  lanes_.unpick(first.id);
  EXPECT_EQ(lanes_.pick(), std::vector{first.id});
}

// R6: a run that was canceled while it waited is never picked.
TEST_F(LanesTest, ACanceledRunIsNotPicked) {
  run::Record r = record("a");
  lanes_.see(r);
  r.state = run::State::canceled;
  lanes_.see(r);
  EXPECT_TRUE(lanes_.pick().empty());
  EXPECT_EQ(lanes_.queued(), 0U);
}

// Whatever is seen, in any order and however often, and however the limit changes, no run is picked
// beyond the limit, and no run is lost.
RC_GTEST_PROP(LanesProperty, TheLimitHolds, ()) {
  const drover::testing::ManualClock clock;
  IdMaker ids(clock);
  Lanes lanes;
  std::vector<run::Record> runs;
  for (int i = 0, n = *rc::gen::inRange(1, 20); i < n; ++i) {
    run::Record r;
    r.id = ids.next();
    r.number = i + 1;
    r.lane = "a";
    runs.push_back(r);
    lanes.see(r);
  }
  size_t limit = 1;
  for (int i = 0; i < 60; ++i) {
    if (i % 5 == 0) {
      limit = *rc::gen::inRange<size_t>(1, 5);
      lanes.set_limit("a", static_cast<std::int64_t>(limit));
    }
    const size_t before = lanes.active();  // A lower limit stops no run.
    const std::vector<RunId> picked = lanes.pick();
    RC_ASSERT(picked.empty() || before + picked.size() <= limit);
    for (const RunId& id : picked) {
      for (run::Record& r : runs) {
        if (r.id == id) r.state = run::State::starting;
      }
    }
    run::Record& any =
        runs[static_cast<size_t>(*rc::gen::inRange<int>(0, static_cast<int>(runs.size())))];
    if (any.state == run::State::starting && *rc::gen::arbitrary<bool>()) {
      any.state = run::State::completed;
    }
    lanes.see(any);
    std::map<run::State, size_t> count;
    for (const run::Record& r : runs) ++count[r.state];
    RC_ASSERT(lanes.active() == count[run::State::starting]);
    RC_ASSERT(lanes.queued() == count[run::State::queued]);
  }
}

}  // namespace
}  // namespace drover::dispatch
