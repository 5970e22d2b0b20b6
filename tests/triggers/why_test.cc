// drover why TRIGGER, with the real programs: answered from the ledger, in words for people.
#include <gtest/gtest.h>

#include "tests/triggers/trigger_fixture.h"

namespace drover::tests {
namespace {

constexpr std::int64_t kHourMs = 3'600'000;

class WhyStory : public TriggerStory {
 protected:
  std::string why(std::vector<std::string> words) {
    words.insert(words.begin(), "why");
    return flock_.ok(words);
  }
};

// A5: a time that was missed while no daemon ran is explained by it, with the policy.
TEST_F(WhyStory, NamesTheDaemonThatDidNotRun) {
  add("nightly", {"--every", "1h", "--missed", "skip"}, "true");
  pass_without_daemon(kHourMs * 3 / 2);
  const std::string due_time = text_of(entry("nightly", "missed"), "slot");
  for (const std::string& text : {why({"nightly"}), why({"nightly", "--at", due_time})}) {
    EXPECT_NE(text.find("nightly did not run at "), std::string::npos) << text;
    EXPECT_NE(text.find("the daemon was not running; missed: skip"), std::string::npos) << text;
    EXPECT_NE(text.find("next due "), std::string::npos) << text;
  }
  const auto due_time_ms = parse_time(due_time, "slot");
  const std::string between = why({"nightly", "--at", rfc3339(*due_time_ms + 60'000)});
  EXPECT_NE(between.find("nightly was not due at "), std::string::npos) << between;
  EXPECT_NE(between.find("the nearest due times are "), std::string::npos) << between;
  EXPECT_EQ(flock_.drover({"why", "nightly", "--at", "noon"}).code, 2);
  EXPECT_EQ(flock_.drover({"why", "other", "--at", "03:00"}).code, 5);
}

// A run and a trigger with one name are both explained; the trigger names its run.
TEST_F(WhyStory, ExplainsTheRunAndTheTrigger) {
  add("nightly", {"--every", "1h"}, "exit 3");
  const std::string run = flock_.ok({"trigger", "fire", "nightly"});
  flock_.ended(run);
  const std::string text = why({"nightly"});
  EXPECT_EQ(text.find(run + " failed"), 0U) << text;
  EXPECT_NE(text.find("nightly was fired by hand at "), std::string::npos) << text;
  EXPECT_NE(text.find("its run is " + run), std::string::npos) << text;
  EXPECT_EQ(why({run}).find("nightly"), std::string::npos);
  const std::string json = why({"nightly", "--json"});
  EXPECT_NE(json.find("\"trigger\":\"nightly\""), std::string::npos) << json;
  EXPECT_EQ(std::ranges::count(json, '\n'), 1) << json;
  EXPECT_EQ(flock_.drover({"why", "neither"}).code, 5);
}

}  // namespace
}  // namespace drover::tests
