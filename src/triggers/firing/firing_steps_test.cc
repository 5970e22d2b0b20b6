// The steps of a trigger's due times: every due time has one occurrence, each step one commit.
#include "triggers/firing/firing_steps.h"

#include <gtest/gtest.h>

namespace drover::triggers {
namespace {

constexpr WallMs kBegin = 1'800'000'000'000;

TriggerSpec spec_with(std::string_view policies) {
  auto spec = read_spec(R"({"name": "t", "source": {"type": "every", "every": "1m"},
                            "run": {"command": ["x"], "cwd": "/"})" +
                            std::string(policies) + "}",
                        kBegin);
  EXPECT_TRUE(spec) << (spec ? "" : spec.error().message);
  return *spec;
}

StoredTrigger trigger_at(std::optional<WallMs> next) {
  return {.name = "t", .source_type = "every", .spec = "", .anchor = kBegin, .next_due = next};
}

constexpr WallMs due_time(int number) {
  return kBegin + number * 60'000;
}

// A due time on time is one step: a run, and the position behind it.
TEST(FiringSteps, ADueTimeIsOneStep) {
  const auto steps = steps_for(trigger_at(due_time(1)), spec_with(""), due_time(1) + 5, kBegin);
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_EQ(steps[0].occurrence.key, due_time_key(due_time(1)));
  EXPECT_EQ(steps[0].occurrence.outcome, Outcome::fired);
  EXPECT_EQ(steps[0].occurrence.reason, "");
  EXPECT_EQ(steps[0].position->next_due, due_time(2));
}

// The jitter of the first due time ends before the second one, as that of all others does.
TEST(FiringSteps, TheFirstJitterEndsBeforeTheNextDueTime) {
  const TriggerSpec spec = spec_with(R"(, "jitter": "1h")");
  for (int i = 0; i < 50; ++i) {
    const Position first = position_after(spec, trigger_at(std::nullopt), due_time(i));
    EXPECT_EQ(first.next_due, due_time(i + 1));
    EXPECT_GE(*first.wake_at, due_time(i + 1));
    EXPECT_LT(*first.wake_at, due_time(i + 2));
    // The decision at that time is about this due time alone.
    const auto steps = steps_for(trigger_at(first.next_due), spec, *first.wake_at, kBegin);
    ASSERT_EQ(steps.size(), 1u);
    EXPECT_EQ(steps[0].occurrence.reason, "");
  }
}

// Nothing is due: nothing is written.
TEST(FiringSteps, WithoutADueTimeThereAreNoSteps) {
  EXPECT_TRUE(steps_for(trigger_at(due_time(3)), spec_with(""), due_time(2), kBegin).empty());
  EXPECT_TRUE(steps_for(trigger_at(std::nullopt), spec_with(""), due_time(2), kBegin).empty());
}

// After a long sleep one run covers the due times before it, in the same commit.
TEST(FiringSteps, CoalescedDueTimesAreWrittenWithTheRun) {
  const auto steps = steps_for(trigger_at(due_time(1)), spec_with(""), due_time(10) + 5, kBegin);
  ASSERT_FALSE(steps.empty());
  std::vector<std::string> keys;
  for (const FiringRequest& step : steps) {
    for (const Occurrence& occurrence : step.beside) keys.push_back(occurrence.key);
    if (!step.occurrence.key.empty()) keys.push_back(step.occurrence.key);
  }
  std::vector<std::string> all;
  for (int i = 1; i <= 10; ++i) all.push_back(due_time_key(due_time(i)));
  EXPECT_EQ(keys, all);
  EXPECT_EQ(steps.back().position->next_due, due_time(11));
}

// Each step begins where the last one ended, so that a crash between them loses and repeats
// nothing.
TEST(FiringSteps, StepsFollowOneAnother) {
  const auto steps = steps_for(trigger_at(due_time(1)), spec_with(R"(, "missed": "all")"),
                               due_time(400) + 5, kBegin);
  ASSERT_GT(steps.size(), 100u);
  std::optional<WallMs> at = due_time(1);
  for (const FiringRequest& step : steps) {
    EXPECT_EQ(step.trigger.next_due, at);
    at = step.position->next_due;
    // A daemon that dies here decides the rest again.
    const auto rest = steps_for(trigger_at(at), step.spec, due_time(400) + 5, kBegin);
    if (!rest.empty()) {
      EXPECT_EQ(rest.front().trigger.next_due, at);
    }
  }
  EXPECT_EQ(at, due_time(401));
}

// A commit is bounded: many missed due times are several steps.
TEST(FiringSteps, AStepIsBounded) {
  const auto steps = steps_for(trigger_at(due_time(1)), spec_with(R"(, "missed": "skip")"),
                               due_time(900) + 5, kBegin);
  std::int64_t count = 0;
  for (const FiringRequest& step : steps) {
    EXPECT_LE(step.beside.size(), 101u);
    for (const Occurrence& occurrence : step.beside) count += occurrence.count;
    if (!step.occurrence.key.empty()) ++count;
  }
  EXPECT_EQ(count, 900);
}

}  // namespace
}  // namespace drover::triggers
