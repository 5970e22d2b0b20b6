// drover trigger test, with the real programs: it shows what would happen, and nothing happens.
#include <gtest/gtest.h>

#include "tests/triggers/trigger_fixture.h"

namespace drover::tests {
namespace {

class TrialStory : public TriggerStory {
 protected:
  boost::json::object trial(std::vector<std::string> words) {
    words.insert(words.begin(), {"trigger", "test"});
    return flock_.json(std::move(words));
  }
};

// A8: the trial of an event says what emitting it then does, and leaves no trace.
TEST_F(TrialStory, PredictsWhatAnEventDoes) {
  add("deploy", {"--on", "deploy.*", "--filter", "payload.size lt 10", "--dedup", "5m"},
      "echo \"$DROVER_TRIGGER\"");
  const std::vector<std::string> small{"deploy.done", "--data", R"({"size":5})", "--key", "a"};
  const auto ask = [&](const std::string& data) {
    return trial({"deploy", "--type", "deploy.done", "--data", data, "--key", "a"});
  };
  EXPECT_TRUE(ask(R"({"size":5})").at("would_run").as_bool());
  const auto large = ask(R"({"size":20})");
  EXPECT_EQ(text_of(large, "obstacle"), "filter");
  const std::string page =
      flock_.ok({"trigger", "test", "deploy", "--type", "deploy.done", "--data", R"({"size":20})"});
  EXPECT_NE(page.find("deploy would not run"), std::string::npos) << page;
  EXPECT_NE(page.find("payload.size lt 10: it does not hold; the value is 20"), std::string::npos)
      << page;
  EXPECT_TRUE(entries("deploy").empty());
  flock_.ok({"emit", small[0], small[1], small[2], small[3], small[4]});
  flock_.ended(text_of(fired("deploy"), "run_id"));
  EXPECT_EQ(text_of(ask(R"({"size":5})"), "obstacle"), "dedup");
  EXPECT_EQ(entries("deploy").size(), 1U);
  flock_.expect_verified();
}

// The trial of a time shows the variable that the run gets, and the due times around a wrong one.
TEST_F(TrialStory, ShowsATime) {
  add("nightly", {"--cron", "0 3 * * *", "--tz", "Europe/Berlin"}, "true");
  const auto next = trial({"nightly"});
  EXPECT_TRUE(next.at("would_run").as_bool());
  EXPECT_EQ(text_of(next.at("drover_trigger").as_object(), "slot"), text_of(next, "slot"));
  const auto wrong = trial({"nightly", "--at", "2030-07-01T02:00:00Z"});
  EXPECT_EQ(text_of(wrong, "obstacle"), "due");
  EXPECT_EQ(text_of(wrong, "due_after"), "2030-07-02T01:00:00.000Z");
  flock_.ok({"trigger", "pause", "nightly"});
  EXPECT_EQ(text_of(trial({"nightly"}), "obstacle"), "pause");
  EXPECT_EQ(flock_.drover({"trigger", "test", "nightly", "--data", "1"}).code, 2);
  EXPECT_EQ(flock_.drover({"trigger", "test", "nightly", "--at", "noon"}).code, 2);
  EXPECT_EQ(flock_.drover({"trigger", "test", "other"}).code, 5);
}

}  // namespace
}  // namespace drover::tests
