// Plays whose runs wait for a slot (R16, P7): Stop can always end them, and the reason for waiting
// is visible.
#include "play/script_fixture.h"

namespace drover::play {
namespace {

class WaitingPlay : public PlayTest {
 protected:
  void set_lane(store::LaneSet wish) {
    ASSERT_TRUE(world_->await(world_->dispatcher.lanes().set(std::move(wish))));
  }
};

// P7: after Stop, a queued step never starts, and the play finishes. The project can then be played
// again.
TEST_F(WaitingPlay, StopEndsAQueuedStep) {
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

// P7: Stop does not touch a running step; it cancels a queued one that follows.
TEST_F(WaitingPlay, StopSparesARunningStep) {
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

// P7: Stop ends a queued runtime like a running one, and it never starts.
TEST_F(WaitingPlay, StopEndsAQueuedRuntime) {
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

// P8: a runtime that was canceled while queued, and then deleted while no daemon ran, is never
// reported as having run.
TEST_F(WaitingPlay, ADeletedQueuedRuntimeNeverRan) {
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

// H10: after a restart the play still waits, and Stop ends it. A Stop recorded before the restart
// is carried out.
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

// R16: a lane with one slot is enough for a play, whose runs follow one another.
TEST_F(WaitingPlay, OneSlotIsEnough) {
  set_lane({.name = "play", .limit = 1});
  play();
  EXPECT_EQ(until_rest().state, State::stopped);
}

// R16: in a draining lane, a play that has begun continues to its end, and a new one is refused
// with the reason. P6: if Play is pressed again, the answer is the active play.
TEST_F(WaitingPlay, ADrainingLaneFinishesActivePlays) {
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
