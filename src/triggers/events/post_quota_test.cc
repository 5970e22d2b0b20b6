#include "triggers/events/post_quota.h"

#include <gtest/gtest.h>

#include "triggers/events/limits.h"

namespace drover::triggers {
namespace {

constexpr WallMs kNow = 1'800'000'000'000;

// Each caller has its own quota of events, for each minute; the owner has none.
TEST(PostQuota, BoundsTheEventsOfACaller) {
  PostQuota quota;
  for (std::int64_t i = 0; i < kPostedPerMinuteMax; ++i) {
    ASSERT_TRUE(quota.take("token/a", 10, kNow));
    ASSERT_TRUE(quota.take("", 10, kNow));
  }
  const auto refused = quota.take("token/a", 10, kNow + 59'999);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().reason, "quota_exceeded");
  EXPECT_EQ(refused.error().param, "events");
  EXPECT_TRUE(quota.take("token/b", 10, kNow));
  EXPECT_TRUE(quota.take("", 10, kNow));
  EXPECT_TRUE(quota.take("token/a", 10, kNow + 60'000));
}

// Large events use the quota up sooner. One that does not fit leaves room for a smaller one.
TEST(PostQuota, BoundsTheBytesOfACaller) {
  PostQuota quota;
  ASSERT_TRUE(quota.take("token/a", kPostedBytesPerMinuteMax - 10, kNow));
  EXPECT_FALSE(quota.take("token/a", 11, kNow));
  EXPECT_TRUE(quota.take("token/a", 10, kNow));
  EXPECT_FALSE(quota.take("token/a", 1, kNow));
}

}  // namespace
}  // namespace drover::triggers
