#include "base/clock.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <vector>

#include "base/limits.h"

namespace drover {
namespace {

constexpr std::int64_t kDay = 86'400'000;

// R10: a duration is a number and one of five units.
TEST(Duration, AcceptsEveryUnit) {
  EXPECT_EQ(*parse_duration_ms("0ms", "timeout"), 0);
  EXPECT_EQ(*parse_duration_ms("250ms", "timeout"), 250);
  EXPECT_EQ(*parse_duration_ms("10s", "timeout"), 10'000);
  EXPECT_EQ(*parse_duration_ms("5m", "timeout"), 300'000);
  EXPECT_EQ(*parse_duration_ms("2h", "timeout"), 7'200'000);
  EXPECT_EQ(*parse_duration_ms("1d", "timeout"), kDay);
  EXPECT_EQ(*parse_duration_ms("007s", "timeout"), 7'000);
}

// Several units add up, and a number may have a decimal point.
TEST(Duration, AcceptsSeveralUnitsAndDecimals) {
  EXPECT_EQ(*parse_duration_ms("1h30m", "timeout"), 5'400'000);
  EXPECT_EQ(*parse_duration_ms("1.5h", "timeout"), 5'400'000);
  EXPECT_EQ(*parse_duration_ms("1h90m", "timeout"), 9'000'000);
  EXPECT_EQ(*parse_duration_ms("1d2h3m4s5ms", "timeout"), kDay + 7'384'005);
  EXPECT_EQ(*parse_duration_ms("1m500ms", "timeout"), 60'500);
  EXPECT_EQ(*parse_duration_ms("0.5h1.5m", "timeout"), 1'890'000);
  EXPECT_EQ(*parse_duration_ms("0.001s", "timeout"), 1);
}

// A number alone is refused, and the message says how to write it.
TEST(Duration, NamesTheFix) {
  const auto message = [](const char* text) {
    return parse_duration_ms(text, "timeout").error().message;
  };
  EXPECT_EQ(message("90"), "invalid duration \"90\": add a unit, such as 90s or 90m");
  EXPECT_EQ(message("1h30"), "invalid duration \"1h30\": add a unit, such as 30s or 30m");
  EXPECT_EQ(message("soon"),
            "invalid duration \"soon\": write a number and a unit (ms, s, m, h, d), such as 10s or "
            "1h30m");
  EXPECT_EQ(
      message("30m1h"),
      "invalid duration \"30m1h\": write each unit once, the largest first, such as 1h30m10s");
  EXPECT_EQ(message("1.5ms"),
            "invalid duration \"1.5ms\": use whole milliseconds, such as 10s or 15ms");
}

// R10: anything else is invalid; the error names the field and shows the format.
TEST(Duration, RefusesEverythingElse) {
  const std::vector<std::string> bad{"",
                                     "10",
                                     "s",
                                     "1.5.2h",
                                     "1.h",
                                     ".5h",
                                     "1,5h",
                                     "1.5ms",
                                     "0.0001s",
                                     "1.00000001d",
                                     "1h-30m",
                                     "-1.5h",
                                     "-1s",
                                     "+1s",
                                     " 5s",
                                     "5s ",
                                     "5 s",
                                     "5S",
                                     "5sec",
                                     "5ss",
                                     "5s5s",
                                     "1e3s",
                                     "0x10s",
                                     "10us",
                                     "5min",
                                     "ten",
                                     "30m1h",
                                     "1h30m10",
                                     "1h 30m",
                                     std::string("5s\0", 3),
                                     "\xef\xbc\x95s"};
  for (const std::string& text : bad) {
    const auto parsed = parse_duration_ms(text, "idle_timeout");
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().code, ErrorCode::invalid);
    EXPECT_EQ(parsed.error().param, "idle_timeout");
    EXPECT_NE(parsed.error().message.find("10s"), std::string::npos) << parsed.error().message;
  }
}

// A duration above ten years is refused in every unit, and never overflows.
TEST(Duration, IsAtMostTenYears) {
  EXPECT_EQ(*parse_duration_ms("3650d", "t"), limits::kDurationMaxMs);
  for (const char* text : {"3651d", "87601h", "315360000001ms", "9223372036854775807d",
                           "9223372036854775807ms", "99999999999999999999s", "3650d1ms", "3650.5d",
                           "1d9223372036854775807s", "18446744073709551615ms"}) {
    const auto parsed = parse_duration_ms(text, "t");
    ASSERT_FALSE(parsed) << text;
    EXPECT_NE(parsed.error().message.find("3650d"), std::string::npos);
  }
}

// A printed duration is parsed as the same length.
RC_GTEST_PROP(Duration, RoundTrips, ()) {
  const auto ms = *rc::gen::inRange<std::int64_t>(0, limits::kDurationMaxMs + 1);
  const auto parsed = parse_duration_ms(format_duration(ms), "t");
  RC_ASSERT(parsed.has_value());
  RC_ASSERT(*parsed == ms);
}

// A duration is printed with the largest unit that is exact.
TEST(Duration, PrintsTheLargestExactUnit) {
  EXPECT_EQ(format_duration(0), "0ms");
  EXPECT_EQ(format_duration(1), "1ms");
  EXPECT_EQ(format_duration(1'001), "1001ms");
  EXPECT_EQ(format_duration(90'000), "90s");
  EXPECT_EQ(format_duration(120'000), "2m");
  EXPECT_EQ(format_duration(kDay), "1d");
}

// Times are RFC 3339, UTC, with milliseconds: leap days, the epoch and times before it.
TEST(Rfc3339, IsUtcWithMilliseconds) {
  EXPECT_EQ(rfc3339(0), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(rfc3339(1'794'736'705'123), "2026-11-15T09:58:25.123Z");
  EXPECT_EQ(rfc3339(1'709'209'845'007), "2024-02-29T12:30:45.007Z");
  EXPECT_EQ(rfc3339(-1), "1969-12-31T23:59:59.999Z");
}

// Times sort as text in the order in which they happened.
RC_GTEST_PROP(Rfc3339, SortsByTime, ()) {
  const auto a = *rc::gen::inRange<WallMs>(0, 253'402'300'800'000);  // Up to the year 9999.
  const auto b = *rc::gen::inRange<WallMs>(0, 253'402'300'800'000);
  RC_ASSERT((a < b) == (rfc3339(a) < rfc3339(b)));
}

// The kernel's clocks: the wall clock shows a plausible year, the monotonic one never goes back.
TEST(SystemClock, ShowsTheYearAndNeverGoesBack) {
  const SystemClock clock;
  EXPECT_GT(clock.wall_ms(), 1'700'000'000'000);
  const MonoNs before = clock.mono_ns();
  EXPECT_LE(before, clock.mono_ns());
}

// R5: a printed time is parsed as the same time; an invalid one is refused by name.
TEST(Clock, ParsesPrintedTimes) {
  const WallMs time = 1'700'000'000'123;
  EXPECT_EQ(parse_time(rfc3339(time), "since"), time);
  EXPECT_EQ(parse_time("2023-11-14T22:13:20Z", "since"), 1'700'000'000'000);
  EXPECT_EQ(parse_time("2023-11-14T22:13:20.1234567Z", "since"), time);
  EXPECT_EQ(parse_time("2023-11-15T00:13:20.1+02:00", "since"), 1'700'000'000'100);
  EXPECT_EQ(parse_time("2024-02-29T00:00:00Z", "since"), 1'709'164'800'000);
  for (const char* bad : {"", "x", "2023-11-14", "2023-11-14T22:13:20", "2023-02-29T00:00:00Z",
                          "2023-13-01T00:00:00Z", "2023-11-14T24:00:00Z", "2023-11-14T22:13:20.Z",
                          "2023-11-14T22:13:20+2", "2023-11-14T22:13:20Zx", "1969-01-01T00:00:00Z",
                          "2023-11--4T22:13:20Z", "2023-11-14T22:13:20+-1:00"}) {
    const auto parsed = parse_time(bad, "since");
    ASSERT_FALSE(parsed) << bad;
    EXPECT_EQ(parsed.error().param, "since");
  }
}

}  // namespace
}  // namespace drover
