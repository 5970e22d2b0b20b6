// Edge cases that other crons have published as their tests, croniter's and vixie's, as one table:
// an expression, a zone, a beginning, and the times that follow. Where the programs differ, vixie's
// rules hold (calendar.h).
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "triggers/time/calendar.h"

namespace drover::triggers {
namespace {

struct Edge {
  std::string_view name;
  std::string_view cron;
  std::string_view zone;
  std::string_view after;          // UTC.
  std::vector<std::string> times;  // UTC.
};

WallMs at(std::string_view text) {
  return parse_time(std::string(text) + "Z", "at").value();
}

void check(const std::vector<Edge>& edges) {
  for (const Edge& edge : edges) {
    const auto cron = parse_cron(edge.cron);
    ASSERT_TRUE(cron) << edge.name << ": " << cron.error().message;
    const Zone zone = find_zone(edge.zone).value();
    WallMs time = at(edge.after);
    for (const std::string& expected : edge.times) {
      const auto next = next_time(*cron, zone, time);
      ASSERT_TRUE(next) << edge.name;
      EXPECT_EQ(rfc3339(*next).substr(0, 19), expected) << edge.name;
      time = *next;
    }
  }
}

// Fields, ranges, steps, names, month ends and leap years, as croniter's tests have them.
TEST(CronTable, CronitersExpressions) {
  check({
      {"every minute crosses the hour",
       "*/1 * * * *",
       "",
       "2010-01-23T12:58:00",
       {"2010-01-23T12:59:00", "2010-01-23T13:00:00"}},
      {"steps of minutes begin anew each hour",
       "*/5 * * * *",
       "",
       "2010-01-23T12:52:00",
       {"2010-01-23T12:55:00", "2010-01-23T13:00:00"}},
      {"seconds",
       "15,25 26-27 13 * * *",
       "",
       "2012-04-06T13:26:10",
       {"2012-04-06T13:26:15", "2012-04-06T13:26:25", "2012-04-06T13:27:15"}},
      {"steps of seconds cross the minute",
       "*/15 * * * * *",
       "",
       "2012-04-06T13:26:36",
       {"2012-04-06T13:26:45", "2012-04-06T13:27:00", "2012-04-06T13:27:15"}},
      {"steps of hours cross the day",
       "0 */3 * * *",
       "",
       "2010-01-24T20:59:00",
       {"2010-01-24T21:00:00", "2010-01-25T00:00:00"}},
      {"steps of days begin anew each month",
       "0 0 */3 * *",
       "",
       "2010-02-24T12:09:00",
       {"2010-02-25T00:00:00", "2010-02-28T00:00:00", "2010-03-01T00:00:00"}},
      {"odd days", "5 0 */2 * *", "", "2012-02-22T00:00:00", {"2012-02-23T00:05:00"}},
      {"a leap year",
       "0 0 * * *",
       "",
       "1996-02-28T00:00:00",
       {"1996-02-29T00:00:00", "1996-03-01T00:00:00"}},
      {"the leap year of a century",
       "0 0 * * *",
       "",
       "2000-02-28T00:00:00",
       {"2000-02-29T00:00:00"}},
      {"names of weekdays",
       "0 0 * * sat",
       "",
       "2010-02-25T00:00:00",
       {"2010-02-27T00:00:00", "2010-03-06T00:00:00"}},
      {"a day or a weekday",
       "0 0 1 * wed",
       "",
       "2010-01-25T00:00:00",
       {"2010-01-27T00:00:00", "2010-02-01T00:00:00", "2010-02-03T00:00:00"}},
      {"Sunday is 7",
       "0 0 * * 7",
       "",
       "2010-02-25T00:00:00",
       {"2010-02-28T00:00:00", "2010-03-07T00:00:00"}},
      {"Monday to 7",
       "0 0 * * 1-7",
       "",
       "2019-01-18T00:00:00",
       {"2019-01-19T00:00:00", "2019-01-20T00:00:00", "2019-01-21T00:00:00"}},
      {"Sunday to Thursday",
       "30 22 * * sun-thu",
       "",
       "2010-08-25T15:56:00",
       {"2010-08-25T22:30:00", "2010-08-26T22:30:00", "2010-08-29T22:30:00"}},
      {"Wednesday to Sunday",
       "0 0 * * 3-7",
       "",
       "2019-01-19T00:00:00",
       {"2019-01-20T00:00:00", "2019-01-23T00:00:00"}},
      {"the last day of a month",
       "0 0 L * *",
       "",
       "2015-09-04T00:00:00",
       {"2015-09-30T00:00:00", "2015-10-31T00:00:00", "2015-11-30T00:00:00"}},
      {"days and the last day",
       "1 1 7,14,21,L * *",
       "",
       "2018-02-14T12:00:00",
       {"2018-02-21T01:01:00", "2018-02-28T01:01:00", "2018-03-07T01:01:00"}},
      {"one month",
       "0 * * 3 *",
       "",
       "2012-01-01T00:00:00",
       {"2012-03-01T00:00:00", "2012-03-01T01:00:00"}},
      {"a day that February lacks",
       "0 3 16,30 * *",
       "",
       "2013-01-30T12:17:34",
       {"2013-02-16T03:00:00", "2013-03-16T03:00:00", "2013-03-30T03:00:00"}},
      {"a beginning with a step",
       "0 4/6 * * *",
       "",
       "2012-02-24T00:00:00",
       {"2012-02-24T04:00:00", "2012-02-24T10:00:00", "2012-02-24T16:00:00", "2012-02-24T22:00:00",
        "2012-02-25T04:00:00"}},
      {"quarters", "0 0 1 3,6,9,12 *", "", "2016-12-03T10:00:00", {"2017-03-01T00:00:00"}},
      {"a range with a step",
       "1-9/2 0 1 * *",
       "",
       "2013-04-01T00:00:00",
       {"2013-04-01T00:01:00", "2013-04-01T00:03:00", "2013-04-01T00:05:00", "2013-04-01T00:07:00",
        "2013-04-01T00:09:00", "2013-05-01T00:01:00"}},
      {"ranges that overlap",
       "0 5,5,1-6 * * *",
       "",
       "2020-01-01T04:30:00",
       {"2020-01-01T05:00:00", "2020-01-01T06:00:00", "2020-01-02T01:00:00"}},
      {"a list that is not sorted",
       "0 8,22,10,23 * * *",
       "",
       "2020-01-01T08:00:00",
       {"2020-01-01T10:00:00", "2020-01-01T22:00:00", "2020-01-01T23:00:00"}},
      {"milliseconds after a time",
       "0 10 * * *",
       "",
       "2018-01-02T10:00:00.500",
       {"2018-01-03T10:00:00"}},
      {"milliseconds before a time",
       "0 10 * * *",
       "",
       "2018-01-02T09:59:59.999",
       {"2018-01-02T10:00:00"}},
      {"a list with a star", "* * * * *,0", "", "2019-01-14T11:00:59", {"2019-01-14T11:01:00"}},
      {"the turn of the year", "59 23 31 12 *", "", "2019-12-31T23:59:00", {"2020-12-31T23:59:00"}},
  });
}

// The zones and days of croniter's reports about daylight saving.
TEST(CronTable, CronitersZones) {
  check({
      {"Athens, winter",
       "*/30 * * * *",
       "Europe/Athens",
       "2013-10-26T23:00:00",
       {"2013-10-26T23:30:00", "2013-10-27T00:00:00", "2013-10-27T00:30:00", "2013-10-27T01:00:00",
        "2013-10-27T01:30:00", "2013-10-27T02:00:00"}},
      {"Athens, summer",
       "*/30 * * * *",
       "Europe/Athens",
       "2013-03-30T23:30:00",
       {"2013-03-31T00:00:00", "2013-03-31T00:30:00", "2013-03-31T01:00:00"}},
      {"Warsaw, midnight before summer",
       "0 0 * * *",
       "Europe/Warsaw",
       "2017-03-25T23:00:00",
       {"2017-03-26T22:00:00"}},
      {"Warsaw, hours before summer",
       "0 * * * *",
       "Europe/Warsaw",
       "2017-03-26T00:00:00",
       {"2017-03-26T01:00:00"}},
      {"Warsaw, hours before winter",
       "0 * * * *",
       "Europe/Warsaw",
       "2017-10-28T23:59:00",
       {"2017-10-29T00:00:00", "2017-10-29T01:00:00", "2017-10-29T02:00:00"}},
      {"São Paulo, the clock shows 23:00 again",
       "0 0 * * *",
       "America/Sao_Paulo",
       "2018-02-18T00:05:00",
       {"2018-02-18T03:00:00", "2018-02-19T03:00:00"}},
      {"Adelaide, a month with a change",
       "0 0 24 * *",
       "Australia/Adelaide",
       "2020-03-15T00:00:00",
       {"2020-03-23T13:30:00", "2020-04-23T14:30:00"}},
      {"Paris, a time that is skipped",
       "1 2 * * *",
       "Europe/Paris",
       "2020-03-28T01:01:00",
       {"2020-03-29T01:00:00", "2020-03-30T00:01:00"}},
      {"Tokyo has no changes",
       "0 12 * * *",
       "Asia/Tokyo",
       "2013-03-04T03:00:00",
       {"2013-03-05T03:00:00"}},
  });
}

// The rules of vixie's manual: fixed times that the clock skips run right after it, times that it
// repeats run once; wildcards follow the clock; both day fields mean either.
TEST(CronTable, VixiesRules) {
  check({
      {"05:04 on Sundays", "5 4 * * sun", "", "2026-01-01T00:00:00", {"2026-01-04T04:05:00"}},
      {"10 pm on weekdays",
       "0 22 * * 1-5",
       "",
       "2026-01-02T12:00:00",
       {"2026-01-02T22:00:00", "2026-01-05T22:00:00"}},
      {"23 minutes after every other hour",
       "23 0-23/2 * * *",
       "",
       "2026-01-01T22:00:00",
       {"2026-01-01T22:23:00", "2026-01-02T00:23:00"}},
      {"the 1st, the 15th and every Friday",
       "30 4 1,15 * 5",
       "",
       "2026-01-01T00:00:00",
       {"2026-01-01T04:30:00", "2026-01-02T04:30:00", "2026-01-09T04:30:00", "2026-01-15T04:30:00",
        "2026-01-16T04:30:00"}},
      {"a star with a step is a star: both days",
       "0 0 */10 * mon",
       "",
       "2026-01-01T00:00:00",
       {"2026-05-11T00:00:00", "2026-06-01T00:00:00"}},
      {"New York, skipped",
       "30 2 * * *",
       "America/New_York",
       "2026-03-07T12:00:00",
       {"2026-03-08T07:00:00", "2026-03-09T06:30:00"}},
      {"New York, repeated",
       "30 1 * * *",
       "America/New_York",
       "2026-10-31T12:00:00",
       {"2026-11-01T05:30:00", "2026-11-02T06:30:00"}},
      {"New York, a wildcard in the gap",
       "*/20 2 * * *",
       "America/New_York",
       "2026-03-07T12:00:00",
       {"2026-03-09T06:00:00"}},
      {"New York, a wildcard in the repeat",
       "*/30 1 * * *",
       "America/New_York",
       "2026-10-31T12:00:00",
       {"2026-11-01T05:00:00", "2026-11-01T05:30:00", "2026-11-01T06:00:00", "2026-11-01T06:30:00",
        "2026-11-02T06:00:00"}},
      {"each hour of a day with 23",
       "17 * * * *",
       "America/New_York",
       "2026-03-08T06:00:00",
       {"2026-03-08T06:17:00", "2026-03-08T07:17:00"}},
      {"@monthly", "@monthly", "America/New_York", "2026-03-02T00:00:00", {"2026-04-01T04:00:00"}},
      {"@hourly", "@hourly", "Asia/Kolkata", "2026-03-02T00:00:00", {"2026-03-02T00:30:00"}},
  });
}

// Expressions that vixie refuses are refused. Croniter lets a range of weekdays pass Saturday.
TEST(CronTable, RefusesWhatVixieRefuses) {
  for (const std::string_view text : {"* * * *",
                                      "* * 5-1 * *",
                                      "-90 * * * *",
                                      "a * * * *",
                                      "* * * janu-jun *",
                                      "1-1_0 * * * *",
                                      "0-10/ * * * *",
                                      "0-1& * * * *",
                                      "*/0 * * * *",
                                      "0-10000000 * * * *",
                                      "* * * * *,b",
                                      "60 * * * *",
                                      "* 24 * * *",
                                      "* * 0 * *",
                                      "* * 32 * *",
                                      "* * * 0 *",
                                      "* * * 13 *",
                                      "* * * * 8",
                                      "@reboot",
                                      "@sometimes",
                                      ""}) {
    EXPECT_FALSE(parse_cron(text)) << text;
  }
}

}  // namespace
}  // namespace drover::triggers
