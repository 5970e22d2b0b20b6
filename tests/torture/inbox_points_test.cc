// Whichever point of asking, answering, expiring and taking up kills the daemon, a question and a
// report are recorded once, and a question is closed once.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/spool.h"
#include "testing/until.h"
#include "tests/harness.h"
#include "tests/torture/tortured_home.h"

namespace drover::tests {
namespace {

std::vector<std::string_view> inbox_points() {
  std::vector<std::string_view> out(kCrashPoints.begin(), kCrashPoints.end());
  std::erase_if(out, [](std::string_view point) { return !point.starts_with("inbox."); });
  return out;
}

class InboxTrial {
 public:
  void submit() {
    const DaemonAnswer made = tortured.ask({.method = "POST",
                                            .target = "/api/runs",
                                            .body = {{"command", {"true"}}, {"cwd", "/"}},
                                            .key = "the run"});
    run = text_of(made.body, "run_id");
    tortured.ask({.method = "GET", .target = "/api/runs/" + run + "?wait=60s"});
  }
  // The id of the question.
  std::string ask(const std::string& question, boost::json::object more = {}) {
    more["question"] = question;
    const DaemonAnswer answer = tortured.ask({.method = "POST",
                                              .target = "/api/runs/" + run + "/questions",
                                              .body = std::move(more),
                                              .key = "k-" + question});
    EXPECT_EQ(answer.status, 202) << answer.text;
    return text_of(answer.body, "id");
  }
  void close(const std::string& id, const std::string& how, boost::json::object body) {
    const DaemonAnswer answer = tortured.ask(
        {.method = "POST", .target = "/api/inbox/" + id + "/" + how, .body = std::move(body)});
    EXPECT_EQ(answer.status, 200) << answer.text;
  }
  std::string state(const std::string& id) {
    return text_of(tortured.ask({.method = "GET", .target = "/api/inbox/" + id}).body, "state");
  }
  boost::json::array entries() {
    const DaemonAnswer answer = tortured.ask({.method = "GET", .target = "/api/inbox?all=true"});
    const boost::json::value* found = answer.body.if_contains("entries");
    return found == nullptr ? boost::json::array{} : found->as_array();
  }
  template <class F>
  void await(F f) {
    ASSERT_TRUE(testing::becomes_true(f)) << tortured.daemon_log();
  }
  void spool_report() {
    const auto added = add_to_spool(tortured.home(), {.run = *RunId::parse(run), .key = "spooled"},
                                    R"({"operation":"inbox.report","at":"2026-11-18T00:00:00Z",)"
                                    R"("body":{"type":"output","summary":"spooled"}})");
    ASSERT_TRUE(added) << added.error().message;
  }
  // How many events of that type the log has.
  int events(std::string_view type) {
    const DaemonAnswer answer = tortured.ask({.method = "GET", .target = "/api/events?limit=1000"});
    int count = 0;
    for (const boost::json::value& event : answer.body.at("events").as_array()) {
      count += text_of(event.as_object(), "type") == type ? 1 : 0;
    }
    return count;
  }

  TorturedHome tortured;
  std::string run;
};

class EveryInboxPoint : public ::testing::TestWithParam<std::string_view> {};

TEST_P(EveryInboxPoint, MayBeTheLast) {
  InboxTrial story;
  story.tortured.start_daemon();
  story.submit();
  story.tortured.board.arm(GetParam());
  const std::string answered = story.ask("answered");
  const std::string dismissed = story.ask("dismissed");
  const std::string expired = story.ask("expired", {{"timeout", "1ms"}});
  story.close(answered, "answer", {{"text", "yes"}});
  story.close(dismissed, "dismiss", {});
  story.await([&] { return story.state(expired) == "expired"; });
  story.spool_report();
  story.await([&] { return story.entries().size() == 4; });
  // The file is removed last, perhaps by the next daemon.
  story.await([&] { return !story.entries().empty() && spooled(story.tortured.home()).empty(); });
  EXPECT_EQ(story.tortured.board.deaths(GetParam()), 1U);
  story.tortured.board.disarm();
  story.tortured.kill_daemon();
  story.tortured.start_daemon();
  EXPECT_EQ(story.state(answered), "answered");
  EXPECT_EQ(story.state(dismissed), "dismissed");
  EXPECT_EQ(story.state(expired), "expired");
  EXPECT_EQ(story.entries().size(), 4U);
  EXPECT_EQ(story.events("question.asked"), 3);
  EXPECT_EQ(story.events("question.answered"), 1);
  EXPECT_EQ(story.events("question.dismissed"), 1);
  EXPECT_EQ(story.events("question.expired"), 1);
  EXPECT_EQ(story.events("run.reported"), 1);
  story.tortured.stop_daemon();
  story.tortured.wait_for_programs();
  const Output report = Started({std::string(DROVER_BIN) + "/droverd", "--verify"},
                                {{"DROVER_HOME", story.tortured.file("home")}}, "")
                            .finish();
  EXPECT_EQ(report.code, 0) << report.out;
}

INSTANTIATE_TEST_SUITE_P(Torture, EveryInboxPoint, ::testing::ValuesIn(inbox_points()),
                         [](const auto& point) {
                           std::string name(point.param);
                           std::ranges::replace(name, '.', '_');
                           return name;
                         });

}  // namespace
}  // namespace drover::tests
