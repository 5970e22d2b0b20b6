// A trigger that is added or changed: where it stands afterwards, and which due times it passes.
#include "triggers/definition/trigger_change.h"

#include <gtest/gtest.h>

#include <string>

namespace drover::triggers {
namespace {

constexpr WallMs kHour = 3'600'000;
constexpr WallMs kAdded = 1'790'000'000'000;

TriggerSpec every(const std::string& interval, WallMs anchor = kAdded) {
  return read_spec(R"({"name":"t","source":{"type":"every","every":")" + interval +
                       R"("},"run":{"command":["x"],"cwd":"/"}})",
                   anchor)
      .value();
}

// A new trigger stands at its first due time; one whose only time has passed is refused.
TEST(TriggerChangeTest, ANewTriggerStandsAtItsFirstDueTime) {
  const auto added = new_trigger(every("1h"), kAdded, "/x/drover.toml");
  ASSERT_TRUE(added) << added.error().message;
  EXPECT_EQ(added->next_due, kAdded + kHour);
  EXPECT_EQ(added->declared_in, "/x/drover.toml");
  TriggerSpec late = every("1h");
  late.source = Schedule(OneTime{.at = kAdded - 1});
  EXPECT_EQ(new_trigger(late, kAdded, "").error().reason, "no_future_time");
}

// The due times that passed are one occurrence with their number; none has passed: none.
TEST(TriggerChangeTest, PassedDueTimesAreOneOccurrence) {
  const StoredTrigger trigger = new_trigger(every("1h"), kAdded, "").value();
  EXPECT_TRUE(passed_over(trigger, every("1h"), kAdded + kHour - 1, "paused").empty());
  const auto one = passed_over(trigger, every("1h"), kAdded + kHour, "paused");
  ASSERT_EQ(one.size(), 1U);
  EXPECT_EQ(one[0].key, due_time_key(kAdded + kHour));
  EXPECT_EQ(one[0].first_key, "");
  const auto many = passed_over(trigger, every("1h"), kAdded + 3 * kHour + 5, "paused");
  ASSERT_EQ(many.size(), 1U);
  EXPECT_EQ(many[0].count, 3);
  EXPECT_EQ(many[0].first_key, due_time_key(kAdded + kHour));
  EXPECT_EQ(many[0].key, due_time_key(kAdded + 3 * kHour));
  EXPECT_EQ(many[0].outcome, Outcome::skipped);
  EXPECT_EQ(many[0].reason, "paused");
}

// A change accounts for the due times up to now, ends a backoff, and moves the anchor only if the
// source is new.
TEST(TriggerChangeTest, AChangeAccountsForWhatHasPassed) {
  StoredTrigger before = new_trigger(every("1h"), kAdded, "").value();
  before.errors = 3;
  before.backoff_until = kAdded + 10 * kHour;
  const WallMs now = kAdded + 2 * kHour + 1;
  const TriggerSpec was = every("1h");
  const auto same = changed_trigger(before, &was, every("1h"), false, now);
  ASSERT_TRUE(same) << same.error().message;
  ASSERT_EQ(same->occurrences.size(), 1U);
  EXPECT_EQ(same->occurrences[0].count, 2);
  EXPECT_EQ(same->now.next_due, kAdded + 3 * kHour);
  EXPECT_EQ(same->now.anchor, kAdded);
  EXPECT_EQ(same->now.errors, 0);
  EXPECT_EQ(same->now.backoff_until, 0);
  const auto moved = changed_trigger(before, &was, every("2h", now), true, now);
  ASSERT_TRUE(moved) << moved.error().message;
  EXPECT_EQ(moved->now.anchor, now);
  EXPECT_EQ(moved->now.next_due, now + 2 * kHour);
}

}  // namespace
}  // namespace drover::triggers
