// Claims over a store that can be broken, with a spine that shows the commits.
#include "dispatch/queue/claims.h"

#include "dispatch/dispatcher_fixture.h"
#include "store/store_contract.h"

namespace drover::dispatch {
namespace {

using run::State;

class ClaimsTest : public RunDispatcherTest {
 protected:
  void SetUp() override {
    RunDispatcherTest::SetUp();
    // Instead of the dispatcher: nothing is launched.
    world_->spine.watch([&](const store::Written& written) {
      bool lanes_changed = false;
      for (const run::Event& event : written.events) lanes_changed |= claims_->see(event);
      if (written.is_of_run()) claims_->see(written.record);
      if (lanes_changed) claims_->claim_next();
    });
    host_.emplace(world_->loop.get_executor(), home_, clock_, world_->reads, world_->spine,
                  run::only_commands());
    claims_.emplace(*host_);
    ASSERT_TRUE(claims_->load(store_));
  }
  RunId submitted() {
    run::Spec spec;
    spec.argv = {"true"};
    spec.lane = "one";
    const RunId id = ids_.next();
    const auto written = world_->await(world_->spine.record(
        run::Submitted{.record = run::first_record(spec, id, 1, {}), .key = {}, .digest = {}}));
    EXPECT_TRUE(written);
    return id;
  }
  void end(const RunId& id) {
    EXPECT_TRUE(
        world_->await(world_->spine.record(run::Ended{.id = id, .ending = run::NeverStarted{}})));
  }
  bool is_starting(const RunId& id) { return find(id).state == State::starting; }

  IdMaker ids_{clock_};
  std::optional<Host> host_;
  std::optional<Claims> claims_;
};

// R16: a slot that becomes free goes to the waiting run; before `open` and after `close` to none.
TEST_F(ClaimsTest, GiveFreeSlotsToWaitingRuns) {
  const RunId first = submitted(), second = submitted(), third = submitted();
  EXPECT_EQ(claims_->ahead_of(find(third)), 1U);
  end(first);
  claims_->claim_next();
  EXPECT_EQ(claims_->active(), 0U);  // `open` was not called.
  claims_->open();
  until_true([&] { return is_starting(second); });
  claims_->close();
  end(second);
  claims_->claim_next();
  EXPECT_EQ(claims_->active(), 0U);
  EXPECT_EQ(find(third).state, State::queued);
}

// A claim that could not be written is tried again.
TEST_F(ClaimsTest, AreRetriedAfterAFailedWrite) {
  const RunId first = submitted(), second = submitted();
  claims_->open();
  end(first);
  breaking_.break_write(1, drover::testing::BreakWhen::before);
  claims_->claim_next();
  until_true([&] { return is_starting(second); });
  EXPECT_TRUE(breaking_.broke());
}

// A claim that the store refuses leaves the run in its place: here its lane was paused behind the
// spine's back.
TEST_F(ClaimsTest, ARefusedRunKeepsItsPlace) {
  const RunId first = submitted(), second = submitted();
  // Past the spine.
  ASSERT_TRUE(store::write_to(store_, store::LaneSet{.name = "one", .limit = {}, .paused = true}));
  end(first);
  claims_->open();
  EXPECT_EQ(claims_->active(), 1U);
  until_true([&] { return claims_->active() == 0; });
  EXPECT_EQ(claims_->ahead_of(find(second)), 0U);
}

// R16: a lane is changed, a run is moved, and the free slots are given at the same time.
TEST_F(ClaimsTest, ChangingALaneGivesItsFreeSlots) {
  const RunId first = submitted(), second = submitted(), third = submitted();
  claims_->open();
  ASSERT_TRUE(world_->await(claims_->move({.id = third, .lane = {}, .priority = 1})));
  EXPECT_EQ(claims_->ahead_of(find(second)), 1U);
  const auto lane = world_->await(claims_->set({.name = "one", .limit = 2}));
  ASSERT_TRUE(lane);
  EXPECT_EQ(lane->limit, 2);
  until_true([&] { return is_starting(third); });
  EXPECT_EQ(find(second).state, State::queued);
  EXPECT_EQ(world_->await(claims_->remove("one")).error().reason, "lane_busy");
  EXPECT_EQ(find(first).state, State::starting);
}

// R16: changes of lanes are read from the log, from any caller.
TEST_F(ClaimsTest, LearnLanesFromTheLog) {
  const RunId first = submitted(), second = submitted();
  claims_->open();
  EXPECT_TRUE(is_starting(first));
  const auto set = [&](store::LaneSet wish) {
    ASSERT_TRUE(world_->await(world_->spine.record(std::move(wish))));
  };
  set({.name = "one", .paused = true});
  set({.name = "one", .limit = 2});
  EXPECT_EQ(find(second).state, State::queued);
  set({.name = "one", .paused = false});
  until_true([&] { return is_starting(second); });
  for (const LaneNumbers& numbers : claims_->numbers()) {
    if (numbers.name == "one") EXPECT_EQ(numbers.limit, 2);
  }
}

}  // namespace
}  // namespace drover::dispatch
