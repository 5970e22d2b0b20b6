// Whichever program dies during a play, in any state of its session: the next daemon reports the
// correct state, continues, starts nothing twice, and Stop still works.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>

#include "tests/harness.h"
#include "tests/torture/tortured_home.h"

namespace drover::tests {
namespace {

std::vector<std::string_view> play_points() {
  std::vector<std::string_view> out(kCrashPoints.begin(), kCrashPoints.end());
  std::erase_if(out, [](std::string_view point) { return !point.starts_with("play."); });
  return out;
}

// A project whose steps write one line each, and whose runtime waits until it is released or
// stopped.
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

  DaemonAnswer ask(const std::string& method, const std::string& target,
                   boost::json::object body = {}) {
    return tortured.ask({.method = method, .target = target, .body = std::move(body)});
  }
  void play() { EXPECT_LT(ask("POST", "/api/projects/game/play").status, 300); }
  // Sends Stop once, so that its effect does not depend on a repetition. Returns whether it was
  // answered.
  bool stop() {
    const auto answer =
        ask_once(tortured.home().socket(), {.method = "POST", .target = "/api/projects/game/stop"});
    if (answer) EXPECT_EQ(answer->status, 202) << answer->text;
    return answer.has_value();
  }
  std::string state() { return text_of(ask("GET", "/api/projects/game/session").body, "state"); }
  // Both return the current state once it is the wanted one, the session is at rest, or the timeout
  // is reached, which only a bug causes.
  std::string until(const std::string& wanted) {
    std::string now = state();
    for (const Deadline patience; now != wanted && is_active(now) && patience.lasts();) {
      now = state();
    }
    return now;
  }
  // The change is on record a moment before the daemon dies; after that, ask the next one.
  void until_dead_at(std::string_view point) {
    for (const Deadline patience; tortured.board.deaths(point) == 0 && patience.lasts();) state();
  }
  std::string rest() {
    std::string now = state();
    for (const Deadline patience; is_active(now) && patience.lasts();) {
      now = text_of(ask("GET", "/api/projects/game/session?wait=5s").body, "state");
    }
    return now;
  }
  // Everything known about the play, for the message of a failed test.
  std::string all() {
    return ask("GET", "/api/projects/game/session").text + "\n" + tortured.daemon_log();
  }
  void let(const std::string& name) { std::ofstream(root_ + "/" + name) << "go\n"; }
  std::string read(const std::string& name) {
    std::ifstream in(root_ + "/" + name);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  // Each step ran once, whichever daemon submitted it, and verification finds no problem.
  void expect_once() {
    for (const char* name : {"built", "validated", "packed", "started"}) {
      EXPECT_EQ(read(name), "x\n") << name;
    }
    tortured.board.disarm();
    tortured.stop_daemon();
    tortured.wait_for_programs();
    const Output report = Started({std::string(DROVER_BIN) + "/droverd", "--verify"},
                                  {{"DROVER_HOME", tortured.file("home")}}, "")
                              .finish();
    EXPECT_EQ(report.code, 0) << report.out;
  }

  TorturedHome tortured;

 private:
  class Deadline {
   public:
    bool lasts() const { return std::chrono::steady_clock::now() < end_; }

   private:
    std::chrono::steady_clock::time_point end_ =
        std::chrono::steady_clock::now() + std::chrono::seconds(20);
  };
  static bool is_active(const std::string& state) {
    return state == "preparing" || state == "connecting" || state == "running";
  }

  std::string root_ = tortured.file("game");
};

class EveryPlayPoint : public ::testing::TestWithParam<std::string_view> {};

// P8, H1, H10: the daemon dies at each step of a play, and of its Stop.
TEST_P(EveryPlayPoint, RecoversFromADeath) {
  PlayTrial game;
  game.tortured.board.arm(GetParam());
  game.play();
  game.let("go");
  ASSERT_EQ(game.until("running"), "running") << game.all();
  const bool dies_of_stop = GetParam() == "play.stop_recorded";
  if (!dies_of_stop) {
    game.until_dead_at(GetParam());
    ASSERT_EQ(game.until("running"), "running") << game.all();
  }
  EXPECT_EQ(game.stop(), !dies_of_stop);
  ASSERT_EQ(game.rest(), "stopped") << game.all();
  EXPECT_EQ(game.tortured.board.deaths(GetParam()), 1U);
  game.expect_once();
}

INSTANTIATE_TEST_SUITE_P(Torture, EveryPlayPoint, ::testing::ValuesIn(play_points()),
                         [](const auto& info) {
                           std::string name(info.param);
                           std::ranges::replace(name, '.', '_');
                           return name;
                         });

// P8: the daemon is killed in each lasting state; the state is correct afterwards, and the play
// continues.
TEST(PlayTrial, TheDaemonIsKilledInEveryState) {
  PlayTrial game;
  EXPECT_EQ(game.state(), "idle");
  game.tortured.kill_daemon();
  EXPECT_EQ(game.state(), "idle");
  game.play();
  game.tortured.kill_daemon();
  EXPECT_EQ(game.state(), "preparing");
  game.let("go");
  ASSERT_EQ(game.until("running"), "running") << game.all();
  game.tortured.kill_daemon();
  EXPECT_EQ(game.state(), "running");
  game.let("end");
  ASSERT_EQ(game.rest(), "stopped") << game.all();
  game.tortured.kill_daemon();
  EXPECT_EQ(game.state(), "stopped");
  game.expect_once();
}

// P8: a runtime that exits while no daemon runs is reported correctly.
TEST(PlayTrial, TheRuntimeExitsWithoutADaemon) {
  PlayTrial game;
  game.play();
  game.let("go");
  ASSERT_EQ(game.until("running"), "running") << game.all();
  game.tortured.kill_daemon();
  game.let("end");
  ASSERT_EQ(game.rest(), "stopped") << game.all();
  game.expect_once();
}

}  // namespace
}  // namespace drover::tests
