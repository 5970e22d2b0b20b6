#include "triggers/time/calendar.h"

#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <string>
#include <vector>

#include "triggers/time/limits.h"

namespace drover::triggers {
namespace {

using Times = std::vector<std::string>;

Cron cron_of(std::string_view text) {
  const auto cron = parse_cron(text);
  EXPECT_TRUE(cron) << text;
  return cron.value_or(Cron{});
}
WallMs at(std::string_view text) {
  return parse_time(std::string(text) + "Z", "at").value();
}
// "2026-03-29T01:00:00", without the milliseconds, which are 0.
std::string shown(WallMs time) {
  EXPECT_EQ(time % 1'000, 0);
  return rfc3339(time).substr(0, 19);
}

struct Row {
  std::string_view cron;
  std::string_view zone;
  std::string_view after;
  Times times;  // The first ones after `after`, in UTC.
};

void check(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    const Cron cron = cron_of(row.cron);
    const Zone zone = find_zone(row.zone).value();
    WallMs time = at(row.after);
    Times found;
    for (size_t i = 0; i < row.times.size(); ++i) {
      const auto next = next_time(cron, zone, time);
      ASSERT_TRUE(next) << row.cron;
      found.push_back(shown(*next));
      EXPECT_EQ(count_times(cron, zone, time + 1, *next), 1) << row.cron << " " << found.back();
      time = *next;
    }
    EXPECT_EQ(found, row.times) << row.cron << " in " << row.zone;
  }
}

// Without daylight saving: month ends, leap years, both day rules, the last days, steps.
TEST(Calendar, FindsTheTimesOfACron) {
  check({
      {"* * * * *", "", "2026-12-31T23:58:30", {"2026-12-31T23:59:00", "2027-01-01T00:00:00"}},
      {"*/15 * * * * *", "", "2026-01-01T00:00:30", {"2026-01-01T00:00:45", "2026-01-01T00:01:00"}},
      {"5/25 10 * * *", "", "2026-01-01T10:30:00", {"2026-01-01T10:55:00", "2026-01-02T10:05:00"}},
      {"59 59 23 31 12 ?", "", "2026-12-31T23:59:59", {"2027-12-31T23:59:59"}},
      {"0 0 31 * *", "", "2026-01-31T00:00:00", {"2026-03-31T00:00:00", "2026-05-31T00:00:00"}},
      {"0 0 30 2,3 *", "", "2026-01-01T00:00:00", {"2026-03-30T00:00:00", "2027-03-30T00:00:00"}},
      {"0 0 29 2 *", "", "2026-01-01T00:00:00", {"2028-02-29T00:00:00", "2032-02-29T00:00:00"}},
      {"0 0 29 2 *", "", "2096-03-01T00:00:00", {"2104-02-29T00:00:00"}},
      {"0 0 L * *",
       "",
       "2028-01-31T00:00:00",
       {"2028-02-29T00:00:00", "2028-03-31T00:00:00", "2028-04-30T00:00:00"}},
      {"0 0 L 2 *", "", "2026-01-01T00:00:00", {"2026-02-28T00:00:00", "2027-02-28T00:00:00"}},
      {"0 0 * * 5L", "", "2026-01-01T00:00:00", {"2026-01-30T00:00:00", "2026-02-27T00:00:00"}},
      {"0 0 * * 7L", "", "2026-02-01T00:00:00", {"2026-02-22T00:00:00", "2026-03-29T00:00:00"}},
      // Either day field, since neither begins with a star: Fridays, and the 13th.
      {"0 0 13 * FRI",
       "",
       "2026-01-05T00:00:00",
       {"2026-01-09T00:00:00", "2026-01-13T00:00:00", "2026-01-16T00:00:00"}},
      {"0 0 L * 1L", "", "2026-01-20T00:00:00", {"2026-01-26T00:00:00", "2026-01-31T00:00:00"}},
      // Both day fields, since one begins with a star: Mondays with an odd date.
      {"0 0 */2 * 1", "", "2026-01-01T00:00:00", {"2026-01-05T00:00:00", "2026-01-19T00:00:00"}},
      {"0 0 * * 7", "", "2026-01-01T00:00:00", {"2026-01-04T00:00:00"}},
      {"@yearly", "", "2026-01-01T00:00:00", {"2027-01-01T00:00:00"}},
      {"@weekly", "", "2026-01-01T00:00:00", {"2026-01-04T00:00:00"}},
      // February 29 on a Sunday: 28 years apart, and 40 over the year 2100.
      {"0 0 29 2 */7",
       "",
       "2032-03-01T00:00:00",
       {"2060-02-29T00:00:00", "2088-02-29T00:00:00", "2128-02-29T00:00:00"}},
  });
}

// In the spring gap, fixed times run once right after it; wildcards do not run.
TEST(Calendar, CrossesGapsAsVixieDoes) {
  check({
      {"30 2 * * *",
       "Europe/Berlin",
       "2026-03-28T12:00:00",
       {"2026-03-29T01:00:00", "2026-03-30T00:30:00"}},
      {"0,20,40 2 * * *",
       "Europe/Berlin",
       "2026-03-28T12:00:00",
       {"2026-03-29T01:00:00", "2026-03-30T00:00:00"}},
      {"0 2,3 * * *",
       "Europe/Berlin",
       "2026-03-28T12:00:00",
       {"2026-03-29T01:00:00", "2026-03-30T00:00:00", "2026-03-30T01:00:00"}},
      {"*/10 30 2 * * *",
       "Europe/Berlin",
       "2026-03-28T12:00:00",
       {"2026-03-29T01:00:00", "2026-03-30T00:30:00", "2026-03-30T00:30:10"}},
      {"*/30 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00", {"2026-03-30T00:00:00"}},
      {"30 * * * *",
       "Europe/Berlin",
       "2026-03-29T00:00:00",
       {"2026-03-29T00:30:00", "2026-03-29T01:30:00"}},
      // The gap of Lord Howe has 30 minutes.
      {"15 2 * * *",
       "Australia/Lord_Howe",
       "2026-10-03T00:00:00",
       {"2026-10-03T15:30:00", "2026-10-04T15:15:00"}},
      // Midnight is in the gap.
      {"@daily",
       "America/Sao_Paulo",
       "2018-11-03T12:00:00",
       {"2018-11-04T03:00:00", "2018-11-05T02:00:00"}},
      // Samoa skipped December 30, 2011.
      {"0 3 * * *",
       "Pacific/Apia",
       "2011-12-29T13:00:00",
       {"2011-12-30T10:00:00", "2011-12-30T13:00:00", "2011-12-31T13:00:00"}},
      {"0 3 30 * *",
       "Pacific/Apia",
       "2011-12-01T00:00:00",
       {"2011-12-30T10:00:00", "2012-01-29T13:00:00"}},
      {"0 * 30 * *", "Pacific/Apia", "2011-12-02T00:00:00", {"2012-01-29T10:00:00"}},
      // After 2037 the zone's rule gives the changes.
      {"30 2 * * *",
       "Europe/Berlin",
       "2045-03-25T12:00:00",
       {"2045-03-26T01:00:00", "2045-03-27T00:30:00"}},
  });
}

// In the fall repeat, fixed times run on the first pass; wildcards run on both.
TEST(Calendar, CrossesRepeatsAsVixieDoes) {
  check({
      {"30 2 * * *",
       "Europe/Berlin",
       "2026-10-24T12:00:00",
       {"2026-10-25T00:30:00", "2026-10-26T01:30:00"}},
      {"*/30 2 * * *",
       "Europe/Berlin",
       "2026-10-24T12:00:00",
       {"2026-10-25T00:00:00", "2026-10-25T00:30:00", "2026-10-25T01:00:00", "2026-10-25T01:30:00",
        "2026-10-26T01:00:00"}},
      {"0 0-23 * * *",
       "Europe/Berlin",
       "2026-10-24T23:30:00",
       {"2026-10-25T00:00:00", "2026-10-25T02:00:00"}},
      {"0 * * * *",
       "Europe/Berlin",
       "2026-10-24T23:30:00",
       {"2026-10-25T00:00:00", "2026-10-25T01:00:00", "2026-10-25T02:00:00"}},
      {"45 1 * * *",
       "Australia/Lord_Howe",
       "2026-04-04T00:00:00",
       {"2026-04-04T14:45:00", "2026-04-05T15:15:00"}},
      {"*/15 1 * * *",
       "Australia/Lord_Howe",
       "2026-04-04T14:20:00",
       {"2026-04-04T14:30:00", "2026-04-04T14:45:00", "2026-04-04T15:00:00",
        "2026-04-04T15:15:00"}},
      // The repeat ends at midnight: the day begins once, after it.
      {"@daily",
       "America/Sao_Paulo",
       "2018-02-17T12:00:00",
       {"2018-02-18T03:00:00", "2018-02-19T03:00:00"}},
      {"30 23 * * *",
       "America/Sao_Paulo",
       "2018-02-17T12:00:00",
       {"2018-02-18T01:30:00", "2018-02-19T02:30:00"}},
  });
}

// A search that begins within a jump or a repeat finds the same times as one that began before it.
TEST(Calendar, StartsAnywhere) {
  check({
      {"30 2 * * *",
       "Europe/Berlin",
       "2026-03-29T00:59:59.999",
       {"2026-03-29T01:00:00", "2026-03-30T00:30:00"}},
      {"30 2 * * *", "Europe/Berlin", "2026-03-29T01:00:00", {"2026-03-30T00:30:00"}},
      {"30 2 * * *", "Europe/Berlin", "2026-10-25T01:00:00", {"2026-10-26T01:30:00"}},
      {"30 2 * * *", "Europe/Berlin", "2026-10-25T01:29:59", {"2026-10-26T01:30:00"}},
      {"0 3 * * *", "Europe/Berlin", "2026-10-25T01:10:00", {"2026-10-25T02:00:00"}},
      {"*/30 2 * * *", "Europe/Berlin", "2026-10-25T01:10:00", {"2026-10-25T01:30:00"}},
  });
}

// Offsets may have minutes and seconds, and the signs of Etc names are reversed.
TEST(Calendar, KnowsOddOffsets) {
  check({
      {"0 0 * * *", "Asia/Kathmandu", "2026-01-01T00:00:00", {"2026-01-01T18:15:00"}},
      {"0 0 * * *", "Etc/GMT+5", "2026-01-01T00:00:00", {"2026-01-01T05:00:00"}},
      {"0 0 * * *", "Africa/Monrovia", "1971-06-01T00:00:00", {"1971-06-01T00:44:30"}},
      {"*/30 * * * *", "Africa/Monrovia", "1971-06-01T00:00:00", {"1971-06-01T00:14:30"}},
  });
}

// The next time is strictly later, to the millisecond.
TEST(Calendar, IsStrictlyLater) {
  const Cron cron = cron_of("0 3 * * *");
  const WallMs due_time = at("2026-05-05T03:00:00");
  EXPECT_EQ(next_time(cron, Zone(), due_time - 1), due_time);
  EXPECT_EQ(next_time(cron, Zone(), due_time), due_time + 86'400'000);
  EXPECT_EQ(next_time(cron, Zone(), due_time + 1), due_time + 86'400'000);
  EXPECT_EQ(count_times(cron, Zone(), due_time, due_time), 1);
  EXPECT_EQ(count_times(cron, Zone(), due_time + 1, due_time + 86'399'999), 0);
}

// A cron without a future has no next time, and neither has any at the end of all times.
TEST(Calendar, EndsWhereNoTimesAreLeft) {
  for (const std::string_view text :
       {"0 0 30 2 *", "0 0 31 2,4,6,9,11 *", "* * 30 2 *", "0 0 30 2 */2"}) {
    EXPECT_EQ(next_time(cron_of(text), Zone(), at("2026-01-01T00:00:00")), std::nullopt) << text;
    EXPECT_EQ(count_times(cron_of(text), Zone(), 0, kTimeEndMs), 0) << text;
  }
  for (const std::string_view text : {"* * * * * *", "59 23 31 12 *"}) {
    const Cron cron = cron_of(text);
    EXPECT_EQ(next_time(cron, Zone(), kTimeEndMs - 1), std::nullopt);
    EXPECT_EQ(next_time(cron, Zone(), std::numeric_limits<WallMs>::max()), std::nullopt);
    EXPECT_TRUE(next_time(cron, Zone(), std::numeric_limits<WallMs>::min()));
    EXPECT_EQ(count_times(cron, Zone(), 5, 4), 0);
    EXPECT_EQ(count_times(cron, Zone(), -1'000, -1), 0);
  }
  EXPECT_EQ(next_time(cron_of("* * * * * *"), Zone(), std::numeric_limits<WallMs>::min()), 0);
  EXPECT_EQ(count_times(cron_of("* * * * * *"), Zone(), std::numeric_limits<WallMs>::min(),
                        std::numeric_limits<WallMs>::max()),
            kTimeEndS);
}

// A local time that one change skips and the next one shows runs once if it is fixed.
TEST(Calendar, RunsAFixedTimeOnceOverTwoChanges) {
  const UnixS jump = at("2026-06-01T10:00:00") / 1'000;
  const Zone zone("Test/Twice", Offsets({{0, 0}, {jump, 7'200}, {jump + 600, 0}}));
  const Cron fixed = cron_of("0 11 * * *");
  EXPECT_EQ(next_time(fixed, zone, at("2026-06-01T09:00:00")), jump * 1'000);
  EXPECT_EQ(next_time(fixed, zone, jump * 1'000), at("2026-06-02T11:00:00"));
  EXPECT_EQ(count_times(fixed, zone, at("2026-06-01T00:00:00"), at("2026-06-01T23:00:00")), 1);
}

}  // namespace
}  // namespace drover::triggers
