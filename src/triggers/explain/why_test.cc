// Why a trigger ran or did not run at a time, from a real store.
#include "triggers/explain/why.h"

#include <gtest/gtest.h>

#include "store/store_contract.h"
#include "testing/clock.h"
#include "testing/store.h"
#include "triggers/limits.h"
#include "triggers/tables.h"

namespace drover::triggers {
namespace {

using store::must;

constexpr WallMs kAdded = 1'800'000'000'000;
constexpr std::int64_t kHour = 3'600'000;

class Why : public ::testing::Test {
 protected:
  Why() { insert("nightly", R"({"type": "every", "every": "1h"})", kAdded + 3 * kHour); }

  void insert(const std::string& name, const std::string& source, std::optional<WallMs> next) {
    const std::string spec = R"({"name": ")" + name + R"(", "source": )" + source +
                             R"(, "run": {"command": ["x"], "cwd": "/"}})";
    StoredTrigger trigger{
        .name = name,
        .source_type = std::string(source_type(must(read_spec(spec, kAdded)).source)),
        .spec = spec,
        .created_at = kAdded,
        .anchor = kAdded,
        .next_due = next,
        .wake_at = next};
    must(store::write_to(store_, store::Work([trigger](store::Transaction& t) -> Result<> {
                           if (auto ok = insert_trigger(t, trigger); !ok) return ok;
                           return t.append({.subject = "trigger/x", .type = "trigger.added"});
                         })));
  }
  void add(Occurrence occurrence, const std::string& trigger = "nightly") {
    must(store::write_to(store_, store::Work([trigger, occurrence](store::Transaction& t) {
                           return add_occurrence(t, trigger, occurrence);
                         })));
  }
  TriggerWhy ask(std::optional<WallMs> at, const std::string& trigger = "nightly") {
    return must(explain(store_, trigger, at, kAdded + 2 * kHour + kHour / 2));
  }

  testing::ManualClock clock_{kAdded};
  testing::TestStore store_{clock_, {.rooms = {kTables}}};
};

// A due time that is in the ledger is answered with its occurrence, also if only the second is
// known.
TEST_F(Why, FindsTheOccurrenceOfADueTime) {
  add({.key = due_time_key(kAdded + kHour),
       .due_at = kAdded + kHour + 250,  // With its jitter.
       .outcome = Outcome::missed,
       .reason = "policy_skip: the daemon was not running"});
  for (const WallMs at : {kAdded + kHour, kAdded + kHour + 250}) {
    const TriggerWhy why = ask(at);
    ASSERT_EQ(why.verdict, TimeVerdict::recorded);
    EXPECT_EQ(why.occurrence->outcome, Outcome::missed);
  }
  EXPECT_EQ(ask(std::nullopt).occurrence->key, due_time_key(kAdded + kHour));
}

// One occurrence for many due times answers for each of them, and for no time between them.
TEST_F(Why, ARangeAnswersForItsDueTimes) {
  add({.key = due_time_key(kAdded + 2 * kHour),
       .due_at = kAdded + 2 * kHour,
       .outcome = Outcome::skipped,
       .reason = "paused",
       .count = 2,
       .first_key = due_time_key(kAdded + kHour)});
  EXPECT_EQ(ask(kAdded + kHour).verdict, TimeVerdict::recorded);
  EXPECT_EQ(ask(kAdded + 2 * kHour).verdict, TimeVerdict::recorded);
  EXPECT_EQ(ask(kAdded + kHour + 60'000).verdict, TimeVerdict::not_due);
}

// A time that is not due is answered with its neighbors, none of them before the trigger existed.
TEST_F(Why, NamesTheNearestDueTimes) {
  const TriggerWhy between = ask(kAdded + kHour + 60'000);
  EXPECT_EQ(between.verdict, TimeVerdict::not_due);
  EXPECT_EQ(between.due_before, kAdded + kHour);
  EXPECT_EQ(between.due_after, kAdded + 2 * kHour);
  const TriggerWhy first = ask(kAdded + 60'000);
  EXPECT_EQ(first.due_before, std::nullopt);
  EXPECT_EQ(first.due_after, kAdded + kHour);
}

// A time before the trigger was added is answered with that, also if it is between due times: the
// first due time may have passed, too, and is not what comes next.
TEST_F(Why, KnowsWhenTheTriggerWasAdded) {
  EXPECT_EQ(ask(kAdded - kHour - 60'000).verdict, TimeVerdict::before_added);
  EXPECT_EQ(ask(kAdded + 60'000).verdict, TimeVerdict::not_due);
}

// Due times without an occurrence: why there is none.
TEST_F(Why, ExplainsWhyThereIsNoOccurrence) {
  EXPECT_EQ(ask(kAdded + 5 * kHour).verdict, TimeVerdict::upcoming);
  EXPECT_EQ(ask(kAdded + kHour).verdict, TimeVerdict::other_schedule);
  EXPECT_EQ(ask(std::nullopt).verdict, TimeVerdict::nothing_yet);
  insert("late", R"({"type": "cron", "cron": "0 * * * *"})", kAdded + kHour);
  EXPECT_EQ(ask(kAdded - kAdded % kHour - 5 * kHour, "late").verdict, TimeVerdict::before_added);
  EXPECT_EQ(ask(kAdded + 2 * kHour, "late").verdict, TimeVerdict::undecided);
  EXPECT_EQ(explain(store_, "none", {}, kAdded).error().code, ErrorCode::not_found);
}

// An event is found by its time; other times name the events around it.
TEST_F(Why, FindsEventsByTheirTime) {
  insert("deploy", R"({"type": "event", "on": "deploy.done"})", std::nullopt);
  const auto event = [&](int number) {
    add({.key = "evt_" + std::to_string(number),
         .due_at = kAdded + number * kHour + 7,
         .outcome = Outcome::skipped,
         .reason = "filter: no",
         .event = "{}"},
        "deploy");
  };
  event(1);
  event(2);
  EXPECT_EQ(ask(kAdded + kHour, "deploy").occurrence->key, "evt_1");
  const TriggerWhy between = ask(kAdded + kHour + 60'000, "deploy");
  EXPECT_EQ(between.verdict, TimeVerdict::not_due);
  EXPECT_EQ(between.due_before, kAdded + kHour + 7);
  EXPECT_EQ(between.due_after, kAdded + 2 * kHour + 7);
  EXPECT_EQ(ask(std::nullopt, "deploy").occurrence->key, "evt_2");
}

}  // namespace
}  // namespace drover::triggers
