// A trial says what a time or an event would do, from a real store: the checks are those of the
// daemon, and nothing is written.
#include "triggers/explain/trial.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "store/store_contract.h"
#include "testing/clock.h"
#include "testing/store.h"
#include "triggers/events/accept_event.h"
#include "triggers/tables.h"

namespace drover::triggers {
namespace {

using store::must;

constexpr WallMs kAdded = 1'800'000'000'000;
constexpr std::int64_t kHour = 3'600'000;

class TrialTest : public ::testing::Test {
 protected:
  void write(store::Work work) {
    must(store::write_to(store_, store::Work([work](store::Transaction& t) -> Result<> {
                           if (auto ok = work(t); !ok) return ok;
                           return t.append({.subject = "trigger/x", .type = "trigger.added"});
                         })));
  }
  // `change` changes the occurrence before it is stored.
  void insert(const std::string& name, const std::string& fields,
              void (*change)(StoredTrigger&) = nullptr) {
    const std::string spec =
        R"({"name": ")" + name + R"(", "run": {"command": ["x"], "cwd": "/"}, )" + fields + "}";
    StoredTrigger trigger{
        .name = name,
        .source_type = std::string(source_type(must(read_spec(spec, kAdded)).source)),
        .spec = spec,
        .created_at = kAdded,
        .anchor = kAdded};
    if (change != nullptr) change(trigger);
    write([trigger](store::Transaction& t) -> Result<> {
      if (auto ok = insert_trigger(t, trigger); !ok) return ok;
      return update_trigger(t, trigger);
    });
  }
  void hourly(void (*change)(StoredTrigger&) = nullptr) {
    insert("nightly", R"("source": {"type": "every", "every": "1h"})", change);
  }
  Trial ask(const std::string& name, TrialRequest request = {}) {
    return must(try_out(store_, name, request, kAdded + 60'000));
  }
  static std::string obstacle(const Trial& trial) {
    return trial.obstacle() == nullptr ? "" : trial.obstacle()->name;
  }

  testing::ManualClock clock_{kAdded};
  testing::TestStore store_{clock_, {.rooms = {kTables}}};
};

// Without a time the next due time is tested; a time that is not due names its neighbors.
TEST_F(TrialTest, TestsATime) {
  hourly();
  const Trial next = ask("nightly");
  EXPECT_EQ(obstacle(next), "");
  EXPECT_EQ(next.occurrence.key, due_time_key(kAdded + kHour));
  const Trial between = ask("nightly", {.at = kAdded + kHour + 60'000});
  EXPECT_EQ(obstacle(between), "due");
  EXPECT_EQ(between.due_before, kAdded + kHour);
  EXPECT_EQ(between.due_after, kAdded + 2 * kHour);
}

// Pause, backoff and the ledger each keep a time from running, and are named.
TEST_F(TrialTest, NamesWhatKeepsATimeFromRunning) {
  hourly([](StoredTrigger& trigger) {
    trigger.errors = 2;
    trigger.backoff_until = kAdded + kHour + 1;
  });
  const Trial early = ask("nightly");
  ASSERT_EQ(obstacle(early), "backoff");
  EXPECT_EQ(early.obstacle()->until, kAdded + kHour + 1);
  EXPECT_EQ(obstacle(ask("nightly", {.at = kAdded + 2 * kHour})), "");
  write([](store::Transaction& t) {
    return add_occurrence(t, "nightly",
                          {.key = due_time_key(kAdded + 2 * kHour), .due_at = kAdded + 2 * kHour});
  });
  EXPECT_EQ(obstacle(ask("nightly", {.at = kAdded + 2 * kHour})), "ledger");
  insert("paused", R"("source": {"type": "every", "every": "1h"})",
         [](StoredTrigger& trigger) { trigger.paused_at = kAdded; });
  EXPECT_EQ(obstacle(ask("paused")), "pause");
}

// Each rule of a filter has its result and the value that it reads.
TEST_F(TrialTest, ShowsEachRuleWithItsValue) {
  insert("deploy", R"("source": {"type": "event", "on": "deploy.*"},
                      "filters": ["payload.size lt 10", "payload.branch eq main", "payload.n gt 1"])");
  const Trial trial =
      ask("deploy", {.type = "deploy.done", .payload = R"({"size": 20, "branch": "main"})"});
  std::vector<const Check*> rules;
  for (const Check& check : trial.checks) {
    if (check.name == "filter") rules.push_back(&check);
  }
  ASSERT_EQ(rules.size(), 3U);
  EXPECT_FALSE(rules[0]->passes);
  EXPECT_EQ(rules[0]->value, boost::json::value(20));
  EXPECT_EQ(rules[0]->text, "payload.size lt 10: it does not hold");
  EXPECT_TRUE(rules[1]->passes);
  EXPECT_EQ(rules[1]->value, boost::json::value("main"));
  EXPECT_FALSE(rules[2]->passes);
  EXPECT_FALSE(rules[2]->value);
  EXPECT_EQ(obstacle(trial), "filter");
  EXPECT_EQ(obstacle(ask("deploy", {.type = "other.done", .payload = "{}"})), "type");
}

// A repeated key is found by the stored window; the trial leaves none.
TEST_F(TrialTest, FindsRepetitions) {
  insert("backup", R"("source": {"type": "event", "on": "backup.done"}, "dedup": "5m")");
  EXPECT_EQ(obstacle(ask("backup", {.dedup_key = "a"})), "");
  EXPECT_EQ(obstacle(ask("backup", {.dedup_key = "a"})), "") << "a trial is not an event";
  write([](store::Transaction& t) {
    return accept_event(t, {.trigger = "backup", .dedup_ms = 300'000},
                        {.id = "evt_1",
                         .type = "backup.done",
                         .producer = "emit",
                         .time = kAdded,
                         .dedup_key = "a",
                         .chain = {}});
  });
  const Trial again = ask("backup", {.dedup_key = "a"});
  ASSERT_EQ(obstacle(again), "dedup");
  EXPECT_NE(again.obstacle()->text.find("evt_1"), std::string::npos);
  EXPECT_EQ(obstacle(ask("backup", {.dedup_key = "b"})), "");
}

// Triggers on other sources have events of one type, and run like those.
TEST_F(TrialTest, KnowsTheEventsOfASource) {
  insert("hook", R"("source": {"type": "webhook", "path": "site", "secret": "env:X"},
                    "filters": ["source eq hook/site"])");
  const Trial trial = ask("hook", {.payload = "1.50"});
  EXPECT_EQ(obstacle(trial), "");
  EXPECT_NE(trial.event.find(R"("type":"webhook.received")"), std::string::npos) << trial.event;
  EXPECT_NE(trial.event.find(R"("payload":1.50)"), std::string::npos) << trial.event;
}

// A time for a trigger on events, and the reverse, are refused with the field.
TEST_F(TrialTest, RefusesWhatDoesNotFit) {
  hourly();
  insert("deploy", R"("source": {"type": "event", "on": "deploy.*"})");
  insert("hook", R"("source": {"type": "webhook", "path": "site", "secret": "env:X"})");
  const auto param = [&](const std::string& name, const TrialRequest& request) {
    const auto trial = try_out(store_, name, request, kAdded);
    return trial ? "" : trial.error().param;
  };
  EXPECT_EQ(param("nightly", {.payload = "1"}), "payload");
  EXPECT_EQ(param("deploy", {.at = kAdded}), "at");
  EXPECT_EQ(param("deploy", {.payload = "1"}), "type");
  EXPECT_EQ(param("deploy", {.type = "Deploy Done"}), "type");
  EXPECT_EQ(param("deploy", {.type = "deploy.done", .payload = "{"}), "payload");
  EXPECT_EQ(param("hook", {.type = "deploy.done"}), "type");
  EXPECT_EQ(param("hook", {.dedup_key = "k"}), "dedup_key");
  EXPECT_EQ(param("none", {}), "trigger");
}

}  // namespace
}  // namespace drover::triggers
