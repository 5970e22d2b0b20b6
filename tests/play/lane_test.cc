// Plays whose runs wait for a slot (R16, P7), through the real programs: the reason is shown, Stop
// ends them, and other runs do not delay them.
#include <signal.h>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <filesystem>
#include <fstream>

#include "tests/play/game.h"

namespace drover::tests {
namespace {

namespace json = boost::json;

class PlayLane : public Game {
 protected:
  void SetUp() override { add(); }

  // The obstacle in the project's status.
  std::string obstacle() const {
    const auto now = session();
    const auto* obstacles = now.if_contains("obstacles");
    if (obstacles == nullptr || obstacles->as_array().empty()) return "";
    return text_of(obstacles->as_array().front().as_object(), "kind");
  }
};

// R16, P7: in a paused lane, every command that shows a play says what it waits for, and Stop ends
// it before it starts, also after the daemon was killed.
TEST_F(PlayLane, WhileItIsPausedAPlayCanBeStopped) {
  flock_.ok({"lane", "pause", "play"});
  ASSERT_EQ(play().status, 202);
  const std::string build = until_child("build", "queued");
  flock_.kill_daemon();
  flock_.daemon();
  EXPECT_EQ(text_of(session(), "state"), "preparing");
  EXPECT_EQ(obstacle(), "lane_paused");
  const std::string status = flock_.ok({"play", "status", "game"});
  EXPECT_NE(status.find("waits    lane play is paused; resume it with `drover lane resume play`"),
            std::string::npos)
      << status;
  const std::string why = flock_.ok({"why", text_of(session(), "run_id")});
  EXPECT_NE(why.find("game is preparing, in step build\n  its build is " + build + ", queued\n"),
            std::string::npos)
      << why;
  EXPECT_NE(why.find("lane play is paused"), std::string::npos) << why;
  EXPECT_EQ(flock_.ok({"play", "stop", "game"}), "game is prepare_failed");
  const auto end = session();
  EXPECT_EQ(text_of(end, "code"), "canceled_by_owner");
  EXPECT_EQ(text_of(record(text_of(end, "run_id")), "state"), "canceled");
  EXPECT_EQ(feed(),
            (std::vector<std::string>{"preparing", "prepare_failed build canceled_by_owner"}));
  EXPECT_EQ(obstacle(), "");
  flock_.ok({"lane", "resume", "play"});
  EXPECT_FALSE(exists("built"));
  ASSERT_EQ(play().status, 202);
  EXPECT_EQ(text_of(until_rest(), "state"), "stopped");
  flock_.expect_verified();
}

// S1, P7: in the foreground, Ctrl-C ends a waiting play with exit code 130.
TEST_F(PlayLane, CtrlCEndsAPlayThatWaits) {
  flock_.ok({"lane", "pause", "play"});
  const auto shown = flock_.start({"play", "game"});
  until_child("build", "queued");
  shown->signal(SIGINT);
  const Output seen = shown->finish();
  EXPECT_EQ(seen.code, 130) << seen.err;
  EXPECT_NE(seen.err.find("its waiting step will not start"), std::string::npos) << seen.err;
  EXPECT_FALSE(exists("built"));
}

// R16: with one slot, a second project waits for the first one's runtime, says so, and continues
// when that finishes; stopping it does not affect the first one.
TEST_F(PlayLane, WhileItIsFullAPlayWaits) {
  const std::string other = flock_.file("other");
  std::filesystem::create_directories(other + "/.drover");
  std::filesystem::create_directories(other + "/build");
  std::ofstream(other + "/drover.toml") << "[project]\nid = \"other\"\n[play]\n";
  std::ofstream(other + "/.drover/setup.json") << R"({"runtimePath":")" << path("runtime") << "\"}";
  write_runtime("while :; do sleep 1000; done");
  const auto added = connect().ask("POST", "/api/projects", R"({"root":")" + other + "\"}");
  ASSERT_EQ(added.status, 200) << json::serialize(added.body);
  flock_.ok({"lane", "set", "play", "1"});
  ASSERT_EQ(connect().ask("POST", "/api/projects/other/play", "{}").status, 202);
  std::string state;
  while (state != "running" && state != "runtime_failed") {
    state = connect().ask("GET", "/api/projects/other/session").text("state");
  }
  ASSERT_EQ(state, "running");
  const std::string runtime =
      connect().ask("GET", "/api/projects/other/session").text("runtime_run_id");
  ASSERT_EQ(play().status, 202);
  until_child("build", "queued");
  EXPECT_EQ(obstacle(), "lane_full");
  EXPECT_NE(json::serialize(session()).find(runtime), std::string::npos);
  EXPECT_EQ(stop().status, 202);
  EXPECT_EQ(text_of(until_rest(), "state"), "prepare_failed");
  EXPECT_EQ(text_of(record(runtime), "state"), "running");
  ASSERT_EQ(play().status, 202);
  until_child("build", "queued");
  EXPECT_EQ(connect().ask("POST", "/api/projects/other/stop", "{}").status, 202);
  until_state("running");
  EXPECT_EQ(stop().status, 202);
  EXPECT_EQ(text_of(until_rest(), "state"), "stopped");
}

// R16: a draining lane finishes an active play, and refuses a new one with the reason.
TEST_F(PlayLane, DrainingItFinishesActivePlays) {
  barrier("gate");
  write_project(step("build", "mkdir -p build; read x < gate; touch built") +
                step("pack", "touch packed"));
  ASSERT_EQ(play().status, 202);
  until_child("build", "running");
  flock_.ok({"lane", "drain", "play"});
  flock_.kill_daemon();
  flock_.daemon();
  let("gate");
  EXPECT_EQ(text_of(until_rest(), "state"), "stopped");
  EXPECT_TRUE(exists("packed"));
  const auto refused = play();
  EXPECT_EQ(refused.status, 409);
  EXPECT_EQ(text_of(refused.body.at("error").as_object(), "code"), "lane_draining");
  const Output told = flock_.drover({"play", "game"});
  EXPECT_EQ(told.code, 6) << told.err;
  EXPECT_NE(told.err.find("`drover lane resume play`"), std::string::npos) << told.err;
}

// R16: only plays can use the slots of plays.
TEST_F(PlayLane, IsForPlaysAlone) {
  const Output run = flock_.drover({"run", "--lane", "play", "--", "true"});
  EXPECT_EQ(run.code, 6) << run.err;
  EXPECT_NE(run.err.find("lane play is reserved for the runs of a play"), std::string::npos)
      << run.err;
  flock_.ok({"lane", "set", "other", "1"});
  flock_.ok({"lane", "pause", "other"});
  const std::string waits = flock_.run("true", {"--lane", "other"});
  const auto moved = connect().ask("POST", "/api/runs/" + waits + "/move", R"({"lane":"play"})");
  EXPECT_EQ(moved.status, 409) << json::serialize(moved.body);
  EXPECT_EQ(text_of(moved.body.at("error").as_object(), "code"), "lane_reserved");
  EXPECT_EQ(text_of(moved.body.at("error").as_object(), "param"), "lane");
  EXPECT_EQ(text_of(record(waits), "lane"), "other");
  flock_.expect_verified();
}

}  // namespace
}  // namespace drover::tests
