#include "triggers/poll/poll_plan.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "triggers/poll/limits.h"

namespace drover::triggers {
namespace {

constexpr WallMs kNow = 1'794'000'000'000;
constexpr std::int64_t kMinute = 60'000;
constexpr std::int64_t kHour = 60 * kMinute;

// The wait without its jitter, which is at most a tenth.
void expect_wait(const PollState& state, std::int64_t wait_ms) {
  EXPECT_GE(state.next_at - kNow, wait_ms);
  EXPECT_LE(state.next_at - kNow, wait_ms + std::min(wait_ms / 10, kPollJitterMaxMs));
}

// After a poll that worked, the interval passes. A ttl lengthens the default, not a chosen
// interval.
TEST(PollPlan, WaitsForTheInterval) {
  expect_wait(after_poll({}, {}, kNow), 15 * kMinute);
  expect_wait(after_poll({}, {}, kNow, kHour), kHour);
  expect_wait(after_poll({}, {}, kNow, kMinute), 15 * kMinute);
  expect_wait(after_poll({}, {}, kNow, -1), 15 * kMinute);
  expect_wait(after_poll({}, {}, kNow, 1000 * kHour), 24 * kHour);
  expect_wait(after_poll({}, {.interval_ms = 5 * kMinute}, kNow, kHour), 5 * kMinute);
  expect_wait(after_poll({}, {.interval_ms = 1}, kNow), kMinute);
  expect_wait(after_poll({}, {.interval_ms = 48 * kHour}, kNow), 48 * kHour);
}

// Errors double the wait up to six hours; one success resets it; known items stay known.
TEST(PollPlan, BacksOff) {
  const PollPlan plan{.interval_ms = 15 * kMinute};
  PollState state{.etag = "e", .hash = "h"};
  for (const std::int64_t wait :
       {30 * kMinute, kHour, 2 * kHour, 4 * kHour, 6 * kHour, 6 * kHour}) {
    state = after_error(state, plan, kNow);
    expect_wait(state, wait);
  }
  EXPECT_EQ(state.errors, 6);
  EXPECT_EQ(state.etag, "e");
  EXPECT_EQ(state.hash, "h");
  for (int i = 0; i < 10'000; ++i) state = after_error(state, plan, kNow);
  expect_wait(state, 6 * kHour);
  EXPECT_EQ(state.errors, kPollErrorsMax);
  state = after_poll(state, plan, kNow);
  EXPECT_EQ(state.errors, 0);
  expect_wait(state, 15 * kMinute);
  expect_wait(after_error({}, {.interval_ms = 48 * kHour}, kNow), 48 * kHour);
}

// Retry-After lengthens the wait within its bound, and never shortens it.
TEST(PollPlan, HonorsRetryAfter) {
  const PollPlan plan{.interval_ms = 15 * kMinute};
  expect_wait(after_error({}, plan, kNow, 3 * kHour), 3 * kHour);
  expect_wait(after_error({}, plan, kNow, kMinute), 30 * kMinute);
  expect_wait(after_error({}, plan, kNow, -kHour), 30 * kMinute);
  expect_wait(after_error({}, plan, kNow, INT64_MAX), 24 * kHour);
}

// The jitter is the same for the same seed and time, and spreads different triggers.
TEST(PollPlan, SpreadsTriggers) {
  std::set<WallMs> times;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const PollState state = after_poll({}, {.seed = seed}, kNow);
    EXPECT_EQ(state, after_poll({}, {.seed = seed}, kNow));
    times.insert(state.next_at);
  }
  EXPECT_GT(times.size(), 90u);
}

// A new trigger is due at once; a clock that was set back by years delays a poll by a day at most.
TEST(PollPlan, SurvivesClocks) {
  EXPECT_LE(next_poll({}, {}, kNow), kNow);
  EXPECT_EQ(next_poll({.next_at = kNow + kHour}, {}, kNow), kNow + kHour);
  EXPECT_LE(next_poll({.next_at = 2 * kNow}, {}, kNow), kNow + 25 * kHour);
}

// An interval outside its bounds is refused with the bounds.
TEST(PollPlan, ChecksTheInterval) {
  EXPECT_TRUE(check_poll_interval(kPollIntervalMinMs));
  EXPECT_TRUE(check_poll_interval(kPollIntervalMaxMs));
  for (const std::int64_t bad :
       {std::int64_t{0}, -kHour, kPollIntervalMinMs - 1, kPollIntervalMaxMs + 1}) {
    const auto checked = check_poll_interval(bad);
    ASSERT_FALSE(checked);
    EXPECT_EQ(checked.error().param, "interval");
    EXPECT_NE(checked.error().message.find("1m"), std::string::npos) << checked.error().message;
  }
}

// Whatever happens, the next poll is at least a minute and at most a month and a jitter away.
RC_GTEST_PROP(PollPlan, StaysWithinBounds, (std::vector<std::int64_t> events, std::uint64_t seed)) {
  PollPlan plan{.seed = seed};
  PollState state;
  for (const std::int64_t event : events) {
    if (event % 3 == 0) plan.interval_ms = event;
    state = event % 2 == 0 ? after_poll(state, plan, kNow, event)
                           : after_error(state, plan, kNow, event);
    RC_ASSERT(state.next_at >= kNow + kPollIntervalMinMs);
    RC_ASSERT(state.next_at <= kNow + kPollIntervalMaxMs + kPollJitterMaxMs);
    RC_ASSERT(next_poll(state, plan, kNow) == state.next_at);
  }
}

}  // namespace
}  // namespace drover::triggers
