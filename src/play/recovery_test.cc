// Recovery of plays: a restarted daemon, or one whose store failed, continues a play at any point.
#include "play/script_fixture.h"

namespace drover::play {
namespace {

// P8: a restarted daemon continues a play in every state, and Stop still works.
TEST_F(PlayTest, SurvivesARestartInEveryState) {
  barrier("wait");
  barrier("go");
  toml("echo x >> builds; read x < go", "true", "true");
  play();
  child(Stage::build);
  restart();
  EXPECT_EQ(session().state, State::preparing);
  EXPECT_TRUE(play().ignored);
  let("go");
  until_state(State::running);
  const std::string runtime = session().runs.at(Stage::runtime);
  restart();
  EXPECT_EQ(session().state, State::running);
  EXPECT_EQ(session().runs.at(Stage::runtime), runtime);
  EXPECT_TRUE(play().ignored);
  EXPECT_FALSE(stop().ignored);
  EXPECT_EQ(until_rest().state, State::stopped);
  EXPECT_EQ(read("builds"), "x\n");  // Once, whichever daemon submitted it.
  restart();
  EXPECT_EQ(session().state, State::stopped);
  EXPECT_EQ(feed(), (std::vector<std::string>{"preparing", "connecting", "running", "stopped"}));
}

// A recorded Stop is carried out by the next daemon, even if no runtime was submitted yet.
TEST_F(PlayTest, AStopSurvivesARestart) {
  barrier("wait");
  play();
  until_state(State::running);
  const RunId id = latest().id;
  ASSERT_TRUE(
      world_->await(world_->spine.record(run::CancelRequested{.id = id, .of_any_kind = true})));
  restart();
  EXPECT_EQ(until_rest().state, State::stopped);
  EXPECT_EQ(find(id).state, run::State::canceled);
}

// A step that has started is judged as it was started, even if drover.toml no longer has it.
TEST_F(PlayTest, AStepMayDisappearFromTheFile) {
  barrier("go");
  toml("touch built", "read x < go; exit 1", "touch packed");
  play();
  child(Stage::validation);
  write(root_ + "/drover.toml", "[project]\nid = \"game\"\n[play]\npack = \"touch packed\"\n");
  restart();
  let("go");
  EXPECT_EQ(until_rest().state, State::prepare_failed);
  EXPECT_FALSE(exists("packed"));
}

// The result of a deleted step comes from its evidence.
TEST_F(PlayTest, AStepMayBeDeleted) {
  barrier("go");
  barrier("wait");
  toml("touch built", "true", "read x < go");
  play();
  child(Stage::pack);
  const RunId build = child(Stage::build);
  ASSERT_TRUE(world_->await(world_->dispatcher.remove(build)));
  restart();
  let("go");
  until_state(State::running);
  EXPECT_FALSE(stop().ignored);
  EXPECT_EQ(until_rest().state, State::stopped);
}

// P8, H10: the next daemon ends a play with an unreadable session, after its runs: it kills a
// runtime, waits for a running step, and cancels a queued one. Then the project can be played
// again.
TEST_F(PlayTest, EndsAPlayWithAnUnreadableSession) {
  for (const char* nonsense :
       {"", "nonsense", R"({"project":"game","state":"flying","runs":{}})"}) {
    SCOPED_TRACE(nonsense);
    barrier("wait");
    play();
    const RunId id = latest().id;
    const RunId runtime = child(Stage::runtime);
    until_state(State::running);
    damage_session(id, nonsense);
    restart();
    until_true([&] { return run::is_finished(find(id).state); });
    EXPECT_EQ(session().state, State::runtime_failed);
    EXPECT_EQ(session().project, "game");
    EXPECT_EQ(session().code, "session_lost") << session().message;
    EXPECT_EQ(find(id).state, run::State::abandoned);
    EXPECT_EQ(find(runtime).state, run::State::canceled);
    std::filesystem::remove(root_ + "/wait");
    EXPECT_FALSE(play().ignored);
    EXPECT_EQ(until_rest().state, State::stopped);
  }
}

// The same during preparation: the running step finishes, and no other starts.
TEST_F(PlayTest, EndsAPlayWithAnUnreadableSessionInPreparation) {
  barrier("go");
  toml("read x < go; touch built", "touch validated", "touch packed");
  play();
  const RunId id = latest().id;
  const RunId build = child(Stage::build);
  until_true([&] { return find(build).state == run::State::running; });
  damage_session(id, "nonsense");
  restart();
  let("go");
  until_true([&] { return run::is_finished(find(id).state); });
  EXPECT_EQ(find(build).state, run::State::completed);
  EXPECT_EQ(session().code, "session_lost");
  EXPECT_TRUE(exists("built"));
  EXPECT_FALSE(exists("validated"));
}

// A store that is unreadable for a while ends no play.
TEST_F(PlayTest, WaitsForAReadableStore) {
  barrier("go");
  toml("read x < go", "true", "true");
  play();
  child(Stage::build);
  breaking_.break_reads(true);
  let("go");
  world_->loop.restart();
  world_->loop.run_for(std::chrono::milliseconds(100));
  breaking_.break_reads(false);
  EXPECT_EQ(until_rest().state, State::stopped);
}

// A Stop that failed after recording the intent is carried out.
TEST_F(PlayTest, AStopSurvivesAFailedCancel) {
  barrier("wait");
  play();
  until_state(State::running);
  breaking_.break_write(2, testing::BreakWhen::before);
  EXPECT_FALSE(stop().ignored);
  EXPECT_EQ(until_rest().state, State::stopped);
}

// R18: `stop --kill` ends plays in the middle of a step, and finishes itself.
TEST_F(PlayTest, EndAllEndsPlays) {
  toml("sleep 1000", "true", "true");
  play();
  child(Stage::build);
  world_->await([](dispatch::RunDispatcher& dispatcher) -> asio::awaitable<bool> {
    co_await dispatcher.end_all();
    co_return true;
  }(world_->dispatcher));
  EXPECT_EQ(session().state, State::prepare_failed);
  EXPECT_EQ(latest().state, run::State::canceled);
}

// A failed write, before or after the commit, does not harm a play: it finishes, and each of its
// runs exists once.
TEST_F(PlayTest, SurvivesAnyFailedWrite) {
  for (const auto when : {testing::BreakWhen::before, testing::BreakWhen::after}) {
    // Odd writes fail before the commit and even ones after it. The play waits until the disk works
    // again.
    for (int n = when == testing::BreakWhen::before ? 1 : 2;; n += 2) {
      breaking_.break_write(n, when);
      const auto answer = world_->await(plays_->play(project_, {"PATH=/usr/bin:/bin"}));
      if (!answer) {  // No success was reported.
        EXPECT_EQ(answer.error().code, ErrorCode::unavailable);
        continue;
      }
      EXPECT_EQ(until_rest().state, State::stopped) << n << ": " << session().message;
      EXPECT_EQ(session().runs.size(), 5u);
      if (!breaking_.broke()) break;
    }
  }
}

}  // namespace
}  // namespace drover::play
