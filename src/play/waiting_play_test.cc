// Plays whose runs have to wait for a slot (R16, P7): said to whoever asks, and never a play that
// nobody can end.
#include "play/script_fixture.h"

namespace drover::play {
namespace {

class WaitingPlay : public PlayTest {
 protected:
  void set_lane(store::LaneSet wish) {
    ASSERT_TRUE(world_->await(world_->dispatcher.lanes().set(std::move(wish))));
  }
};

// P7: a step that has not begun never begins once Stop is answer, and the play ends with it. Then
// it can be played afresh.
TEST_F(WaitingPlay, StopEndsAStepThatWaits) {
  set_lane({.name = "play", .paused = true});
  EXPECT_FALSE(play().ignored);
  const RunId build = child(Stage::build);
  EXPECT_EQ(find(build).state, run::State::queued);
  EXPECT_EQ(cancel(build), dispatch::CancelOutcome::not_cancellable);
  EXPECT_FALSE(stop().ignored);
  const PlaySession end = until_rest();
  EXPECT_EQ(end.state, State::prepare_failed);
  EXPECT_EQ(end.stage, Stage::build);
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
  const RunId build = child(Stage::build);
  until_true([&] { return find(build).state == run::State::running; });
  set_lane({.name = "play", .paused = true});
  EXPECT_TRUE(stop().ignored);
  let("go");
  const RunId validation = child(Stage::validation);
  EXPECT_EQ(find(validation).state, run::State::queued);
  EXPECT_FALSE(stop().ignored);
  EXPECT_EQ(until_rest().state, State::prepare_failed);
  EXPECT_TRUE(exists("built"));
  EXPECT_FALSE(exists("validated"));
}

// P7: a runtime that waits for its slot is stopped like one that runs, and never begins.
TEST_F(WaitingPlay, StopEndsARuntimeThatWaits) {
  barrier("go");
  executable(home_.state + "/droverd", "cd \"$2\"; echo up > up; read x < go");
  play();
  const RunId manifest = child(Stage::manifest);
  until_true([&] { return find(manifest).state == run::State::running; });
  set_lane({.name = "play", .paused = true});
  let("go");
  const RunId runtime = child(Stage::runtime);
  EXPECT_EQ(find(runtime).state, run::State::queued);
  EXPECT_EQ(session().state, State::connecting);
  EXPECT_FALSE(stop().ignored);
  EXPECT_EQ(until_rest().state, State::stopped);
  EXPECT_EQ(latest().state, run::State::canceled);
  set_lane({.name = "play", .paused = false});
  EXPECT_FALSE(exists("argv"));
}

// P8: a runtime that never began, and that was removed while no daemon looked, is never told as one
// that ran.
TEST_F(WaitingPlay, ARemovedRuntimeThatNeverBegan) {
  barrier("go");
  executable(home_.state + "/droverd", "cd \"$2\"; echo up > up; read x < go");
  play();
  const RunId manifest = child(Stage::manifest);
  until_true([&] { return find(manifest).state == run::State::running; });
  set_lane({.name = "play", .paused = true});
  let("go");
  const RunId runtime = child(Stage::runtime);
  until_state(State::connecting);
  plays_.reset();
  conductor_.reset();
  reopen_world();
  const run::CancelRequested wish{.id = runtime, .of_any_kind = true, .only_queued = true};
  ASSERT_TRUE(world_->await(world_->spine.record(wish)));
  ASSERT_TRUE(world_->await(world_->dispatcher.remove(runtime)));
  open_conductor();
  EXPECT_EQ(until_rest().state, State::stopped);
  EXPECT_EQ(latest().state, run::State::canceled);
  EXPECT_EQ(feed(), (std::vector<std::string>{"preparing", "connecting", "stopped"}));
}

// H10: the next daemon finds it waiting, and Stop ends it there as well; and a Stop that its
// predecessor took is not forgotten.
TEST_F(WaitingPlay, WaitsAcrossARestart) {
  set_lane({.name = "play", .paused = true});
  play();
  const RunId build = child(Stage::build);
  restart();
  EXPECT_EQ(session().state, State::preparing);
  ASSERT_TRUE(world_->await(world_->spine.record(
      run::CancelRequested{.id = build, .of_any_kind = true, .only_queued = true})));
  restart();
  EXPECT_EQ(until_rest().state, State::prepare_failed);
  play();
  child(Stage::build);
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
// and is told why. P6: answer again, the one that goes on is what is told of.
TEST_F(WaitingPlay, ADrainingLaneFinishesWhatWasBegun) {
  barrier("go");
  toml("read x < go", "true", "touch packed");
  play();
  child(Stage::build);
  set_lane({.name = "play", .draining = true});
  EXPECT_TRUE(play().ignored);
  const KnownProject second{.id = "other", .root = root_ + "/other", .added_at = 1};
  ASSERT_TRUE(world_->await(world_->spine.record(add_project(second))));
  const auto other = world_->await(plays_->play(second, {"PATH=/usr/bin:/bin"}));
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().reason, "lane_draining");
  let("go");
  EXPECT_EQ(until_rest().state, State::stopped);
  EXPECT_TRUE(exists("packed"));
  const auto again = world_->await(plays_->play(project_, {"PATH=/usr/bin:/bin"}));
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().reason, "lane_draining");
  set_lane({.name = "play", .draining = false});
  toml("true", "true", "true");
  EXPECT_FALSE(play().ignored);
  EXPECT_EQ(until_rest().state, State::stopped);
}

}  // namespace
}  // namespace drover::play
