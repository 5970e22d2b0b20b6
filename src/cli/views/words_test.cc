#include "cli/views/words.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace drover::cli {
namespace {

// Durations have at most two units.
TEST(Words, DurationsHaveAtMostTwoUnits) {
  EXPECT_EQ(say_duration(85), "85ms");
  EXPECT_EQ(say_duration(1'250), "1.2s");
  EXPECT_EQ(say_duration(192'000), "3m12s");
  EXPECT_EQ(say_duration(7'500'000), "2h05m");
  EXPECT_EQ(say_duration(3 * 86'400'000LL + 4 * 3'600'000), "3d04h");
  EXPECT_EQ(say_duration(-5), "0ms");
  EXPECT_EQ(say_elapsed(3'900), "3s");
  EXPECT_EQ(say_elapsed(192'000), "3m12s");
  EXPECT_EQ(say_elapsed(-5'000), "0s");
}

// A time is shown as its distance from now, past or future; within a second it is "now".
TEST(Words, ATimeIsShownAsItsDistanceFromNow) {
  constexpr WallMs kNow = 1'000'000'000;
  EXPECT_EQ(say_distance(kNow - 61'000, kNow), "1m ago");
  EXPECT_EQ(say_distance(kNow - 999, kNow), "now");
  EXPECT_EQ(say_distance(kNow, kNow), "now");
  EXPECT_EQ(say_distance(kNow + 999, kNow), "now");
  EXPECT_EQ(say_distance(kNow + 59'300, kNow), "in 59s");
  EXPECT_EQ(say_distance(kNow + 86'399'000, kNow), "in 23h59m");
}

// Ages, sizes and signals are one word each, as a column of a table needs them.
TEST(Words, AgesBytesAndSignalsAreOneWord) {
  EXPECT_EQ(say_age(300), "now");
  EXPECT_EQ(say_age(61'000), "1m");
  EXPECT_EQ(say_bytes(999), "999 B");
  EXPECT_EQ(say_bytes(1'450), "1.4 kB");
  EXPECT_EQ(say_bytes(1LL << 31), "2.1 GB");
  EXPECT_EQ(say_signal(15), "TERM");
}

// Times written by the daemon are parsed to the millisecond.
RC_GTEST_PROP(Words, ReadsTheDaemonsTimes, ()) {
  const WallMs time = *rc::gen::inRange<WallMs>(0, 4'000'000'000'000);
  RC_ASSERT(parse_rfc3339(rfc3339(time)) == time);
}

}  // namespace
}  // namespace drover::cli
