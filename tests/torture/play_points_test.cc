// Whoever dies while a project is played, and in whichever state of its session: the next daemon
// says what is true, goes on with it, starts nothing twice, and Stop still works.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tests/harness.h"
#include "tests/torture/trial.h"

namespace drover::tests {
namespace {

std::vector<std::string_view> play_points() {
  std::vector<std::string_view> out(kCrashPoints.begin(), kCrashPoints.end());
  std::erase_if(out, [](std::string_view point) { return !point.starts_with("play."); });
  return out;
}

// A project whose steps leave a line each, and whose runtime waits until it is let go or stopped.
class PlayTrial {
 public:
  PlayTrial() {
    std::filesystem::create_directories(root_ + "/build");
    std::filesystem::create_directories(root_ + "/.drover");
    std::ofstream(root_ + "/drover.toml")
        << "[project]\nid = \"game\"\n[play]\n"
        << "build = \"echo x >> built; " << until_file(root_ + "/go") << "\"\n"
        << "validate = \"echo x >> validated\"\npack = \"echo x >> packed\"\n";
    std::ofstream(root_ + "/.drover/setup.json") << R"({"runtimePath":"game"})";
    std::ofstream(root_ + "/game") << "#!/bin/sh\necho x >> started; echo $$ > pid\n"
                                   << until_file(root_ + "/end") << "\n";
    std::filesystem::permissions(root_ + "/game", std::filesystem::perms::owner_all);
    EXPECT_LT(ask("POST", "/api/projects", {{"root", root_}}).status, 300);
  }

  Answer ask(const std::string& method, const std::string& target, boost::json::object body = {}) {
    return trial.ask({.method = method, .target = target, .body = std::move(body)});
  }
  void play() { EXPECT_LT(ask("POST", "/api/projects/game/play").status, 300); }
  void stop() { EXPECT_LT(ask("POST", "/api/projects/game/stop").status, 300); }
  std::string state() { return text_of(ask("GET", "/api/projects/game/session").body, "state"); }
  void until_state(const std::string& wanted) {
    while (state() != wanted) {
    }
  }
  std::string rest() {
    for (;;) {
      const std::string now =
          text_of(ask("GET", "/api/projects/game/session?wait=10s").body, "state");
      if (now != "preparing" && now != "connecting" && now != "running") return now;
    }
  }
  void let(const std::string& name) { std::ofstream(root_ + "/" + name) << "go\n"; }
  std::string read(const std::string& name) {
    std::ifstream in(root_ + "/" + name);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  // Each step once, whoever asked for it; and what is on record holds.
  void expect_once() {
    for (const char* name : {"built", "validated", "packed", "started"}) {
      EXPECT_EQ(read(name), "x\n") << name;
    }
    trial.board.disarm();
    trial.stop_daemon();
    trial.wait_for_programs();
    const Output report = Started({std::string(DROVER_BIN) + "/droverd", "--verify"},
                                  {{"DROVER_HOME", trial.file("home")}}, "")
                              .finish();
    EXPECT_EQ(report.code, 0) << report.out;
  }

  Trial trial;

 private:
  std::string root_ = trial.file("game");
};

class EveryPlayPoint : public ::testing::TestWithParam<std::string_view> {};

// P8, H1, H10: the daemon dies at each step of a play, and of its Stop.
TEST_P(EveryPlayPoint, MayBeTheLast) {
  PlayTrial game;
  game.trial.board.arm(GetParam());
  game.play();
  game.let("go");
  game.until_state("running");
  game.stop();
  EXPECT_EQ(game.rest(), "stopped");
  EXPECT_EQ(game.trial.board.deaths(GetParam()), 1U);
  game.expect_once();
}

INSTANTIATE_TEST_SUITE_P(Torture, EveryPlayPoint, ::testing::ValuesIn(play_points()),
                         [](const auto& info) {
                           std::string name(info.param);
                           std::ranges::replace(name, '.', '_');
                           return name;
                         });

// P8: killed in each state that lasts; the state is true afterwards, and the play goes on.
TEST(PlayTrial, TheDaemonIsKilledInEveryState) {
  PlayTrial game;
  EXPECT_EQ(game.state(), "idle");
  game.trial.kill_daemon();
  EXPECT_EQ(game.state(), "idle");
  game.play();
  game.trial.kill_daemon();
  EXPECT_EQ(game.state(), "preparing");
  game.let("go");
  game.until_state("running");
  game.trial.kill_daemon();
  EXPECT_EQ(game.state(), "running");
  game.let("end");
  EXPECT_EQ(game.rest(), "stopped");
  game.trial.kill_daemon();
  EXPECT_EQ(game.state(), "stopped");
  game.expect_once();
}

// P8: what ended while nobody was there has ended as it did.
TEST(PlayTrial, TheRuntimeEndsWhileNobodyIsThere) {
  PlayTrial game;
  game.play();
  game.let("go");
  game.until_state("running");
  game.trial.kill_daemon();
  game.let("end");
  EXPECT_EQ(game.rest(), "stopped");
  game.expect_once();
}

}  // namespace
}  // namespace drover::tests
