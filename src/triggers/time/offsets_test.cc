#include "triggers/time/offsets.h"

#include <gtest/gtest.h>

#include "triggers/time/limits.h"

namespace drover::triggers {
namespace {

constexpr std::int64_t kHour = 3'600;

// Around a forward jump, skipped local times are reached at its end; around a backward one,
// repeated times on the first pass.
TEST(Offsets, FindTheFirstInstantOfALocalTime) {
  const Offsets spring({{0, kHour}, {10 * kHour, 2 * kHour}});  // The clock jumps from 11 to 12.
  EXPECT_EQ(spring.first_reaching(11 * kHour - 1), 10 * kHour - 1);
  EXPECT_EQ(spring.first_reaching(11 * kHour), 10 * kHour);
  EXPECT_EQ(spring.first_reaching(12 * kHour), 10 * kHour);
  EXPECT_EQ(spring.first_reaching(12 * kHour + 1), 10 * kHour + 1);
  EXPECT_EQ(spring.latest_before(10 * kHour), 11 * kHour - 1);
  EXPECT_EQ(spring.latest_before(10 * kHour + 1), 12 * kHour);

  const Offsets fall({{0, 2 * kHour}, {10 * kHour, kHour}});  // The clock jumps from 12 to 11.
  EXPECT_EQ(fall.first_reaching(11 * kHour), 9 * kHour);
  EXPECT_EQ(fall.first_reaching(12 * kHour - 1), 10 * kHour - 1);
  EXPECT_EQ(fall.first_reaching(12 * kHour), 11 * kHour);
  EXPECT_EQ(fall.latest_before(10 * kHour + 5), 12 * kHour - 1);
}

// A local time that one jump skips and a second jump shows after all is reached once, by the first.
TEST(Offsets, ReachATimeOnceOverTwoJumps) {
  const Offsets offsets({{0, 0}, {10 * kHour, 2 * kHour}, {10 * kHour + 60, 0}});
  EXPECT_EQ(offsets.first_reaching(11 * kHour), 10 * kHour);
  EXPECT_EQ(offsets.latest_before(11 * kHour), 12 * kHour + 59);
  EXPECT_EQ(offsets.first_reaching(12 * kHour + 60), 12 * kHour + 60);
}

// Changes that change nothing are dropped, and time is bounded on both sides.
TEST(Offsets, AreBounded) {
  const Offsets offsets({{-5, 60}, {0, 120}, {1'000, 120}, {2'000, 0}, {kTimeEndS, 60}});
  ASSERT_EQ(offsets.spans().size(), 2U);
  EXPECT_EQ(offsets.spans()[0].offset_s, 120);
  EXPECT_EQ(offsets.spans()[1].end, kTimeEndS);
  EXPECT_EQ(offsets.index_at(-1), 0U);
  EXPECT_EQ(offsets.index_at(kTimeEndS + 5), 1U);
  EXPECT_EQ(offsets.first_reaching(kTimeEndS), std::nullopt);
  EXPECT_EQ(Offsets().first_reaching(77), 77);
}

}  // namespace
}  // namespace drover::triggers
