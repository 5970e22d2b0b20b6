// Plays whose runs have to wait for a slot (R16, P7): said to whoever asks, and never a play that
// nobody can end.
#include "stage/director_fixture.h"

namespace drover::stage {
namespace {

using session::State;

class WaitingPlay : public DirectorTest {
 protected:
  void set_lane(store::LaneSet wish) {
    ASSERT_TRUE(world_->await(world_->dispatcher.set_lane(std::move(wish))));
  }
};

// P7: a step that has not begun never begins once Stop is pressed, and the play ends with it. Then
// it can be played afresh.
TEST_F(WaitingPlay, StopEndsAStepThatWaits) {
  set_lane({.name = "play", .paused = true});
  EXPECT_FALSE(play().ignored);
  const RunId build = child(session::Stage::build);
  EXPECT_EQ(find(build).state, run::State::queued);
  EXPECT_EQ(cancel(build), dispatch::CancelOutcome::not_cancellable);
  EXPECT_FALSE(stop().ignored);
  const session::Session end = until_rest();
  EXPECT_EQ(end.state, State::prepare_failed);
  EXPECT_EQ(end.stage, session::Stage::build);
  EXPECT_EQ(end.code, "canceled_by_owner") << end.message;
  EXPECT_EQ(latest().state, run::State::canceled);
  EXPECT_TRUE(stop().ignored);
  set_lane({.name = "play", .paused = false});
  EXPECT_FALSE(exists("built"));
  play();
  EXPECT_EQ(until_rest().state, State::stopped);
}

// P7: what is under way is left alone; what comes after it and waits is not.
TEST_F(WaitingPlay, StopSparesTheStepThatRuns) {
  barrier("go");
  toml("echo up > up; read x < go; touch built", "touch validated", "touch packed");
  play();
  const RunId build = child(session::Stage::build);
  until_true([&] { return find(build).state == run::State::running; });
  set_lane({.name = "play", .paused = true});
  EXPECT_TRUE(stop().ignored);
  let("go");
  const RunId validation = child(session::Stage::validation);
  EXPECT_EQ(find(validation).state, run::State::queued);
  EXPECT_FALSE(stop().ignored);
  EXPECT_EQ(until_rest().state, State::prepare_failed);
  EXPECT_TRUE(exists("built"));
  EXPECT_FALSE(exists("validated"));
}

// P7: a runtime that waits for its slot is stopped like one that runs, and never begins.
TEST_F(WaitingPlay, StopEndsARuntimeThatWaits) {
  barrier("go");
  script(home_.state + "/droverd", "cd \"$2\"; echo up > up; read x < go");
  play();
  const RunId manifest = child(session::Stage::manifest);
  until_true([&] { return find(manifest).state == run::State::running; });
  set_lane({.name = "play", .paused = true});
  let("go");
  const RunId runtime = child(session::Stage::runtime);
  EXPECT_EQ(find(runtime).state, run::State::queued);
  EXPECT_EQ(session().state, State::connecting);
  EXPECT_FALSE(stop().ignored);
  EXPECT_EQ(until_rest().state, State::stopped);
  EXPECT_EQ(latest().state, run::State::canceled);
  set_lane({.name = "play", .paused = false});
  EXPECT_FALSE(exists("argv"));
}

// H10: the next daemon finds it waiting, and Stop ends it there as well; and a Stop that its
// predecessor took is not forgotten.
TEST_F(WaitingPlay, WaitsAcrossARestart) {
  set_lane({.name = "play", .paused = true});
  play();
  const RunId build = child(session::Stage::build);
  restart();
  EXPECT_EQ(session().state, State::preparing);
  ASSERT_TRUE(world_->await(world_->dispatcher.note(
      run::CancelRequested{.id = build, .of_any_kind = true, .only_queued = true})));
  restart();
  EXPECT_EQ(until_rest().state, State::prepare_failed);
  play();
  child(session::Stage::build);
  restart();
  EXPECT_FALSE(stop().ignored);
  EXPECT_EQ(until_rest().state, State::prepare_failed);
  EXPECT_FALSE(exists("built"));
}

// R16: a lane of one slot is enough for a play, whose runs come one after the other.
TEST_F(WaitingPlay, OneSlotIsEnough) {
  set_lane({.name = "play", .limit = 1});
  play();
  EXPECT_EQ(until_rest().state, State::stopped);
}

// R16: in a draining lane a play that has begun goes on to its end; another one does not begin,
// and is told why. P6: pressed again, the one that goes on is what is told of.
TEST_F(WaitingPlay, ADrainingLaneFinishesWhatWasBegun) {
  barrier("go");
  toml("read x < go", "true", "touch packed");
  play();
  child(session::Stage::build);
  set_lane({.name = "play", .draining = true});
  EXPECT_TRUE(play().ignored);
  const store::Project second{.id = "other", .root = root_ + "/other", .added_at = 1};
  ASSERT_TRUE(world_->await(world_->dispatcher.add_project(second)));
  const auto other = world_->await(director_->play(second, {"PATH=/usr/bin:/bin"}));
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().reason, "lane_draining");
  let("go");
  EXPECT_EQ(until_rest().state, State::stopped);
  EXPECT_TRUE(exists("packed"));
  const auto again = world_->await(director_->play(project_, {"PATH=/usr/bin:/bin"}));
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().reason, "lane_draining");
  set_lane({.name = "play", .draining = false});
  toml("true", "true", "true");
  EXPECT_FALSE(play().ignored);
  EXPECT_EQ(until_rest().state, State::stopped);
}

}  // namespace
}  // namespace drover::stage
