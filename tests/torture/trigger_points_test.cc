// Whichever point between "due" and "run recorded" kills the daemon, a due time has one entry and
// one run, and so has an event.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/clock.h"
#include "testing/until.h"
#include "tests/harness.h"
#include "tests/torture/tortured_home.h"

namespace drover::tests {
namespace {

std::vector<std::string_view> trigger_points() {
  std::vector<std::string_view> out(kCrashPoints.begin(), kCrashPoints.end());
  std::erase_if(out, [](std::string_view point) { return !point.starts_with("trigger."); });
  return out;
}

class TriggerTrial {
 public:
  // Once, in a moment; or on an event.
  void add(const std::string& name, boost::json::object source) {
    const boost::json::object body{
        {"name", name},
        {"source", std::move(source)},
        {"run", {{"shell", "echo x >> " + tortured.file(name)}, {"cwd", "/"}}}};
    const DaemonAnswer answer =
        tortured.ask({.method = "POST", .target = "/api/triggers", .body = body});
    EXPECT_TRUE(answer.status == 200 || answer.status == 409) << answer.text;
  }
  boost::json::array entries(const std::string& name) {
    const DaemonAnswer answer =
        tortured.ask({.method = "GET", .target = "/api/triggers/" + name + "/history"});
    const boost::json::value* found = answer.body.if_contains("entries");
    return found == nullptr ? boost::json::array{} : found->as_array();
  }
  // A file declares the trigger, or does not any more; waits until the daemon has followed. Only a
  // bug reaches the timeout.
  void declare(const std::string& name, bool exists) {
    const std::string directory = tortured.home().config + "/triggers.d";
    const std::string file = directory + "/" + name + ".toml";
    std::filesystem::create_directories(directory);
    if (exists) {
      std::ofstream(file) << "[[trigger]]\nname = '" << name
                          << "'\nevery = '1h'\nshell = 'true'\nenv = { A = '1' }\n";
    } else {
      std::filesystem::remove(file);
    }
    EXPECT_TRUE(testing::becomes_true([&] {
      const DaemonAnswer answer =
          tortured.ask({.method = "GET", .target = "/api/triggers/" + name});
      return answer.status == (exists ? 200 : 404);
    })) << name
        << " does not follow its file: " << tortured.daemon_log();
  }
  // Waits for the run of the only entry.
  void expect_one(const std::string& name) {
    EXPECT_TRUE(testing::becomes_true([&] {
      const auto all = entries(name);
      return !all.empty() && text_of(all[0].as_object(), "outcome") == "fired";
    }));
    ASSERT_EQ(entries(name).size(), 1U) << tortured.daemon_log();
    const std::string run = text_of(entries(name)[0].as_object(), "run_id");
    tortured.ask({.method = "GET", .target = "/api/runs/" + run + "?wait=60s"});
    std::ifstream in(tortured.file(name));
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), "x\n");
  }

  TorturedHome tortured;
};

class EveryTriggerPoint : public ::testing::TestWithParam<std::string_view> {};

TEST_P(EveryTriggerPoint, MayBeTheLast) {
  TriggerTrial story;
  story.tortured.start_daemon();
  story.tortured.board.arm(GetParam());
  story.add("soon", {{"type", "once"}, {"at", rfc3339(SystemClock{}.wall_ms() + 200)}});
  story.expect_one("soon");
  story.add("event", {{"type", "event"}, {"on", "story.told"}});
  story.tortured.ask({.method = "POST", .target = "/api/events", .body = {{"type", "story.told"}}});
  story.expect_one("event");
  story.add("gone", {{"type", "every"}, {"every", "1h"}});
  story.declare("declared", true);
  story.declare("declared", false);
  story.declare("declared-again", true);
  const DaemonAnswer removed =
      story.tortured.ask({.method = "DELETE", .target = "/api/triggers/gone"});
  EXPECT_TRUE(removed.status == 200 || removed.status == 404) << removed.text;
  EXPECT_EQ(story.tortured.board.deaths(GetParam()), 1U);
  story.tortured.board.disarm();
  story.tortured.kill_daemon();
  story.tortured.start_daemon();
  EXPECT_EQ(story.entries("soon").size(), 1U);
  EXPECT_EQ(story.entries("event").size(), 1U);
  story.declare("declared-again", true);
  story.tortured.stop_daemon();
  story.tortured.wait_for_programs();
  const Output report = Started({std::string(DROVER_BIN) + "/droverd", "--verify"},
                                {{"DROVER_HOME", story.tortured.file("home")}}, "")
                            .finish();
  EXPECT_EQ(report.code, 0) << report.out;
}

INSTANTIATE_TEST_SUITE_P(Torture, EveryTriggerPoint, ::testing::ValuesIn(trigger_points()),
                         [](const auto& point) {
                           std::string name(point.param);
                           std::ranges::replace(name, '.', '_');
                           return name;
                         });

}  // namespace
}  // namespace drover::tests
