#include "triggers/time/due.h"

#include <gtest/gtest.h>

#include <set>

#include "triggers/time/backoff.h"

namespace drover::triggers {
namespace {

constexpr WallMs kStart = 1'700'000'000'000;
constexpr std::int64_t kMinute = 60'000;
constexpr std::int64_t kHour = 60 * kMinute;

// A trigger of every ten minutes; its due times are numbered 1, 2, 3 …
class Due : public ::testing::Test {
 protected:
  static WallMs due_time(std::int64_t number) { return kStart + number * 10 * kMinute; }

  // Decides at `now`, and stores the new `next`. The decisions as text: "1 fire on_time, …".
  std::string decide(WallMs now) {
    input_.now = now;
    const DueDecision out = decide_due(schedule_, input_);
    decision_ = out;
    if (out.next) input_.next = *out.next;
    std::string text;
    for (const DecidedRange& range : out.older) {
      text += std::to_string(number(range.first)) + "-" + std::to_string(number(range.last)) +
              " (" + std::to_string(range.count) + ") " + words(range.outcome, range.reason) + ", ";
    }
    for (const DecidedTime& one : out.due_times) {
      text += std::to_string(number(one.due_time)) + " " + words(one.outcome, one.reason) + ", ";
    }
    return text.substr(0, text.size() - std::min<size_t>(text.size(), 2));
  }

  static std::int64_t number(WallMs time) { return (time - kStart) / (10 * kMinute); }
  static std::string words(DueOutcome outcome, std::string_view reason) {
    constexpr auto kNames = std::to_array<std::string_view>({"fire", "skip", "coalesce", "miss"});
    return std::string(kNames[static_cast<size_t>(outcome)]) + " " + std::string(reason);
  }

  Schedule schedule_ = Every{.interval_ms = 10 * kMinute, .anchor = kStart};
  DueInput input_{.next = due_time(1)};
  DueDecision decision_;
};

// Before its time nothing is decided; at its time a due time fires, and the next one is awaited.
TEST_F(Due, FiresOnTime) {
  EXPECT_EQ(decide(due_time(1) - 1), "");
  EXPECT_EQ(decision_.next, due_time(1));
  EXPECT_EQ(decision_.wake_at, due_time(1));
  EXPECT_EQ(decide(due_time(1)), "1 fire on_time");
  EXPECT_EQ(decision_.next, due_time(2));
  EXPECT_EQ(decision_.wake_at, due_time(2));
  EXPECT_EQ(decide(due_time(2) + kLateMs), "2 fire on_time");
}

// By default one run makes up for a long sleep.
TEST_F(Due, CatchesUpOnce) {
  EXPECT_EQ(decide(due_time(3) + kLateMs + 1),
            "1 coalesce covered_by_later, 2 coalesce covered_by_later, 3 fire caught_up");
  EXPECT_EQ(decide(due_time(5)), "4 fire caught_up, 5 fire on_time");
}

// With `skip`, late due times are missed; one on time fires all the same.
TEST_F(Due, SkipsWhatWasMissed) {
  input_.missed = MissedPolicy::skip;
  EXPECT_EQ(decide(due_time(3)), "1 miss policy_skip, 2 miss policy_skip, 3 fire on_time");
}

// With `all`, every due time within the window fires, in order.
TEST_F(Due, RunsAllWithinTheWindow) {
  input_.missed = MissedPolicy::all;
  input_.window_ms = 25 * kMinute;
  EXPECT_EQ(decide(due_time(5) + 5 * kMinute),
            "1 miss outside_window, 2 miss outside_window, 3 fire caught_up, 4 fire caught_up, "
            "5 fire caught_up");
}

// A clock that is set back decides nothing again and waits for the next due time.
TEST_F(Due, IgnoresAClockThatIsSetBack) {
  EXPECT_EQ(decide(due_time(2)), "1 fire caught_up, 2 fire on_time");
  EXPECT_EQ(decide(due_time(1)), "");
  EXPECT_EQ(decide(0), "");
  EXPECT_EQ(decision_.next, due_time(3));
  EXPECT_EQ(decide(due_time(3)), "3 fire on_time");
}

// Due times before the end of a backoff are skipped, late or not; later ones follow the policy.
TEST_F(Due, SkipsDueTimesDuringBackoff) {
  input_.backoff_until = due_time(3);
  EXPECT_EQ(decide(due_time(1)), "1 skip backoff");
  EXPECT_EQ(decide(due_time(5) + 2 * kMinute),
            "2 skip backoff, 3 coalesce covered_by_later, 4 coalesce covered_by_later, "
            "5 fire caught_up");
  input_.backoff_until = due_time(8);
  EXPECT_EQ(decide(due_time(7) + 2 * kMinute), "6 skip backoff, 7 skip backoff");
}

// A single time is decided once, then nothing is left.
TEST_F(Due, FinishesASingleTime) {
  schedule_ = OneTime{.at = due_time(1)};
  EXPECT_EQ(decide(due_time(100)), "1 fire caught_up");
  EXPECT_EQ(decision_.next, std::nullopt);
  EXPECT_EQ(decision_.wake_at, std::nullopt);
}

// Over 1,000 due times become ranges with exact counts; the latest 1,000 are listed.
TEST_F(Due, SummarizesALongAbsence) {
  decide(due_time(5'000) + 5 * kMinute);
  ASSERT_EQ(decision_.older.size(), 1U);
  EXPECT_EQ(decision_.older[0], (DecidedRange{due_time(1), due_time(4'000), 4'000,
                                              DueOutcome::coalesce, "covered_by_later"}));
  ASSERT_EQ(decision_.due_times.size(), 1'000U);
  EXPECT_EQ(decision_.due_times.front().due_time, due_time(4'001));
  EXPECT_EQ(decision_.due_times.back().outcome, DueOutcome::fire);
  EXPECT_EQ(decision_.next, due_time(5'001));

  input_ = {.next = due_time(1),
            .missed = MissedPolicy::all,
            .window_ms = 2'000 * 10 * kMinute,
            .backoff_until = due_time(101)};
  const std::string text = decide(due_time(5'000) + 5 * kMinute);
  EXPECT_TRUE(
      text.starts_with("1-100 (100) skip backoff, 101-3000 (2900) miss outside_window, "
                       "3001-4000 (1000) miss too_many, 4001 fire caught_up, "))
      << text.substr(0, 300);
}

// Ten years of every second are decided without walking through them.
TEST_F(Due, CountsTenYearsOfSeconds) {
  schedule_ = *cron_schedule("* * * * * *", "Europe/Berlin", 0);
  constexpr std::int64_t kSeconds = 3'650LL * 86'400;
  input_.next = kStart;
  decide(kStart + kSeconds * 1'000);
  ASSERT_EQ(decision_.older.size(), 1U);
  EXPECT_EQ(decision_.older[0].count, kSeconds + 1 - 1'000);
  EXPECT_EQ(decision_.older[0].last, kStart + (kSeconds - 1'000) * 1'000);
  EXPECT_EQ(decision_.due_times.size(), 1'000U);
}

// Jitter delays a due time by a fixed time within its bound, never beyond the following due time,
// and is spread over triggers. A due time that is delayed is not late.
TEST_F(Due, DelaysByJitter) {
  input_.jitter_ms = 5 * kMinute;
  std::set<WallMs> delays;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    input_.next = due_time(1);
    input_.seed = seed;
    decide(0);
    const WallMs due_at = decision_.wake_at.value();
    ASSERT_GE(due_at, due_time(1));
    ASSERT_LE(due_at, due_time(1) + 5 * kMinute);
    ASSERT_EQ(decide(due_at - 1), "");
    ASSERT_EQ(decide(due_at + kLateMs), "1 fire on_time");
    ASSERT_EQ(decision_.due_times[0].due_at, due_at);
    delays.insert(due_at - due_time(1));
  }
  EXPECT_GT(delays.size(), 90U);
  EXPECT_LT(*delays.begin(), kMinute / 2);
  EXPECT_GT(*delays.rbegin(), 4 * kMinute);

  input_.jitter_ms = kJitterMaxMs;
  for (std::int64_t i = 1; i < 100; ++i) {
    input_.next = due_time(i);
    decide(0);
    ASSERT_LT(decision_.wake_at.value(), due_time(i + 1));
  }
}

// A changed tz database moves due times; from the latest decided one on, each is decided once.
TEST_F(Due, FollowsAChangedDatabase) {
  const auto nightly = [](std::int64_t offset_s) {
    return CronSchedule{.text = "0 3 * * *",
                        .zone = Zone("Test/Zone", Offsets({{0, offset_s}})),
                        .cron = *parse_cron("0 3 * * *")};
  };
  const WallMs night = 1'700'017'200'000;  // 2023-11-15T03:00:00Z.
  const CronSchedule before = nightly(0);
  const CronSchedule after = nightly(3'600);
  const DueDecision fired = decide_due(before, {.next = night, .now = night});
  ASSERT_EQ(fired.next, night + 24 * kHour);
  // The clock of the zone is an hour ahead now, so the next night comes an hour earlier.
  const auto moved = next_after(after, night);
  ASSERT_EQ(moved, night + 23 * kHour);
  EXPECT_EQ(decide_due(after, {.next = *moved, .now = *moved}).due_times.size(), 1U);
  // A stored time between two due times counts from the due time after it.
  const DueDecision between = decide_due(after, {.next = night + 24 * kHour, .now = night});
  EXPECT_EQ(between.next, night + 47 * kHour);
}

// After errors: 30 s, 1 m, 5 m, 15 m, then 60 m.
TEST(Backoff, Grows) {
  EXPECT_EQ(backoff_ms(-1), 0);
  EXPECT_EQ(backoff_ms(0), 0);
  EXPECT_EQ(backoff_ms(1), 30'000);
  EXPECT_EQ(backoff_ms(2), kMinute);
  EXPECT_EQ(backoff_ms(3), 5 * kMinute);
  EXPECT_EQ(backoff_ms(4), 15 * kMinute);
  EXPECT_EQ(backoff_ms(5), kHour);
  EXPECT_EQ(backoff_ms(1'000'000), kHour);
}

}  // namespace
}  // namespace drover::triggers
