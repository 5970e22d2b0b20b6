#include "triggers/time/schedule.h"

#include <gtest/gtest.h>

#include <random>

#include "testing/plain_words.h"
#include "triggers/time/limits.h"

namespace drover::triggers {
namespace {

constexpr WallMs kNow = 1'700'000'000'000;  // 2023-11-14T22:13:20Z.
constexpr std::int64_t kMinute = 60'000;

void expect_refused(const Result<Schedule>& schedule, std::string_view reason,
                    std::string_view param, std::string_view message) {
  ASSERT_FALSE(schedule) << describe(*schedule);
  EXPECT_EQ(schedule.error().code, ErrorCode::invalid);
  EXPECT_EQ(schedule.error().reason, reason);
  EXPECT_EQ(schedule.error().param, param);
  EXPECT_TRUE(schedule.error().message.contains(message)) << schedule.error().message;
  EXPECT_EQ(testing::violations(schedule.error().message), std::vector<std::string>{});
}

// A cron keeps its text and its zone; @every makes an interval of it.
TEST(Schedule, IsMadeOfACron) {
  const auto nightly = cron_schedule(" 0 3 * * * ", "Europe/Berlin", kNow);
  ASSERT_TRUE(nightly);
  EXPECT_EQ(std::get<CronSchedule>(*nightly).text, "0 3 * * *");
  EXPECT_EQ(describe(*nightly), "0 3 * * * (Europe/Berlin)");
  EXPECT_EQ(describe(*cron_schedule("@daily", "", kNow)), "@daily (UTC)");
  EXPECT_EQ(std::get<Every>(*cron_schedule("@every 30m", "", kNow)),
            (Every{.interval_ms = 30 * kMinute, .anchor = kNow}));
  EXPECT_EQ(std::get<Every>(*cron_schedule("@EVERY\t1h30m", "Asia/Tokyo", kNow)).interval_ms,
            90 * kMinute);
}

// Mistakes are refused with the name of the parameter.
TEST(Schedule, RefusesMistakes) {
  expect_refused(cron_schedule("0 3 * *", "", kNow), "invalid_cron", "cron", "4 fields");
  expect_refused(cron_schedule("0 3 * * *", "Europe/Bern", kNow), "unknown_zone", "tz",
                 "unknown time zone");
  expect_refused(cron_schedule("@every", "", kNow), "invalid_value", "cron", "invalid duration");
  expect_refused(cron_schedule("@every 5", "", kNow), "invalid_value", "cron", "add a unit");
  expect_refused(cron_schedule("@every 1s", "", kNow), "invalid_value", "cron",
                 "must be from 10s to 366d, not 1s");
  expect_refused(every_schedule("9999ms", kNow), "invalid_value", "every", "from 10s to 366d");
  expect_refused(every_schedule("367d", kNow), "invalid_value", "every", "from 10s to 366d");
  expect_refused(every_schedule("soon", kNow), "invalid_value", "every", "invalid duration");
  expect_refused(every_schedule(-5, kNow), "invalid_value", "every", "from 10s to 366d");
  expect_refused(once_schedule(-1), "invalid_value", "at", "end of 2199");
  expect_refused(once_schedule(kTimeEndMs), "invalid_value", "at", "end of 2199");
}

// A schedule without a time in the future is refused.
TEST(Schedule, MustHaveAFuture) {
  const auto checked = [](Result<Schedule> schedule) {
    EXPECT_TRUE(schedule);
    return checked_for_future(std::move(*schedule), kNow);
  };
  expect_refused(checked(cron_schedule("0 0 30 2 *", "", kNow)), "no_future_time", "cron",
                 "change its day of month");
  expect_refused(checked(once_schedule(kNow)), "no_future_time", "at", "give a later time");
  expect_refused(checked(every_schedule(kMinute, kTimeEndMs)), "no_future_time", "every",
                 "check the clock");
  EXPECT_TRUE(checked(cron_schedule("0 0 29 2 *", "", kNow)));
  EXPECT_TRUE(checked(once_schedule(kNow + 1)));
  EXPECT_TRUE(checked(every_schedule(kMinute, kNow)));
}

// An interval has its due times on a grid from its anchor, the first one an interval after it.
TEST(Schedule, HasAGridFromTheAnchor) {
  const Schedule every = *every_schedule("10m", kNow);
  const WallMs first = kNow + 10 * kMinute;
  EXPECT_EQ(next_after(every, 0), first);
  EXPECT_EQ(next_after(every, kNow), first);
  EXPECT_EQ(next_after(every, first - 1), first);
  EXPECT_EQ(next_after(every, first), first + 10 * kMinute);
  EXPECT_EQ(next_after(every, kNow + 25 * kMinute), kNow + 30 * kMinute);
  EXPECT_EQ(next_after(every, std::numeric_limits<WallMs>::max()), std::nullopt);
  EXPECT_EQ(next_after(every, kTimeEndMs - 1), std::nullopt);
  EXPECT_EQ(describe(every), "every 10m");
  EXPECT_EQ(count_due_times(every, 0, kNow), 0);
  EXPECT_EQ(count_due_times(every, first, first), 1);
  EXPECT_EQ(count_due_times(every, first + 1, first + 20 * kMinute), 2);
}

// A single time is after everything before it, and never again.
TEST(Schedule, RunsOnce) {
  const Schedule once = *once_schedule(kNow);
  EXPECT_EQ(next_after(once, kNow - 1), kNow);
  EXPECT_EQ(next_after(once, kNow), std::nullopt);
  EXPECT_EQ(preview(once, 0, 5), std::vector<WallMs>{kNow});
  EXPECT_EQ(describe(once), "once at 2023-11-14T22:13:20.000Z");
}

// A preview has the number of due times that was asked for, within a bound.
TEST(Schedule, IsPreviewed) {
  const Schedule cron = *cron_schedule("0 12 * * *", "", kNow);
  const WallMs noon = 1'700'049'600'000;
  EXPECT_EQ(preview(cron, kNow, 3),
            (std::vector<WallMs>{noon, noon + 86'400'000, noon + 2 * 86'400'000}));
  EXPECT_EQ(preview(cron, kNow, 1'000'000).size(), kPreviewMax);
  EXPECT_TRUE(preview(cron, kNow, 0).empty());
}

// The count, the n-th latest due time and a walk over the due times agree.
TEST(Schedule, CountsItsDueTimes) {
  std::mt19937_64 random(1);
  for (const Schedule& schedule :
       {*cron_schedule("*/7 1-3 * * *", "Europe/Berlin", 0), *every_schedule("1h", kNow - 777),
        *cron_schedule("30 2 * * *", "America/New_York", 0), *once_schedule(kNow + 5)}) {
    for (int i = 0; i < 100; ++i) {
      const WallMs first = kNow + std::uniform_int_distribution<WallMs>(0, 90'000'000'000)(random);
      const WallMs last = first + std::uniform_int_distribution<WallMs>(0, 900'000'000)(random);
      std::vector<WallMs> due_times;
      for (auto at = next_after(schedule, first - 1); at && *at <= last;
           at = next_after(schedule, *at)) {
        due_times.push_back(*at);
      }
      const std::int64_t count = std::ssize(due_times);
      ASSERT_EQ(count_due_times(schedule, first, last), count) << describe(schedule);
      ASSERT_EQ(nth_latest(schedule, first, last, count + 1), std::nullopt);
      if (due_times.empty()) continue;
      ASSERT_EQ(nth_latest(schedule, first, last, 1), due_times.back());
      ASSERT_EQ(nth_latest(schedule, first, last, count), due_times.front());
    }
  }
}

}  // namespace
}  // namespace drover::triggers
