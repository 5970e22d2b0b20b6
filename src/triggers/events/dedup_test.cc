#include "triggers/events/dedup.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

#include "triggers/events/limits.h"

namespace drover::triggers {
namespace {

constexpr std::int64_t kWindow = 60'000;

// One source and one key, with the window that a store would keep for them.
class Dedup : public ::testing::Test {
 protected:
  // Whether the event is accepted; the window is stored as the header says.
  bool accept(std::string_view id, WallMs now) {
    const auto decision = decide_dedup(stored, id, now, kWindow);
    const auto* window = std::get_if<DedupWindow>(&decision);
    if (window == nullptr) {
      last_duplicate = std::get<Duplicate>(decision).of;
      return false;
    }
    stored = *window;
    return true;
  }
  std::optional<DedupWindow> stored;
  std::string last_duplicate;
};

// A duplicate names the event that it repeats.
TEST_F(Dedup, NamesTheOriginal) {
  EXPECT_TRUE(accept("a", 1'000));
  EXPECT_FALSE(accept("b", 1'001));
  EXPECT_FALSE(accept("c", 60'999));
  EXPECT_EQ(last_duplicate, "a");
  EXPECT_TRUE(accept("d", 61'000));
  EXPECT_FALSE(accept("e", 61'001));
  EXPECT_EQ(last_duplicate, "d");
}

// A steady burst starts one window after the other: it is not swallowed for ever.
TEST_F(Dedup, AcceptsASteadyBurstOncePerWindow) {
  int accepted = 0;
  for (WallMs now = 0; now < 10 * kWindow; now += 100) {
    if (accept("e" + std::to_string(now), now)) ++accepted;
  }
  EXPECT_EQ(accepted, 10);
}

// Deciding about the same event twice gives the same answer.
TEST_F(Dedup, RepeatsItsDecision) {
  EXPECT_TRUE(accept("a", 1'000));
  const auto before = stored;
  EXPECT_TRUE(accept("a", 2'000));
  EXPECT_EQ(stored, before);
}

// A clock that is set back never makes a key wait longer than a window after the next event.
TEST_F(Dedup, SurvivesAClockThatIsSetBack) {
  EXPECT_TRUE(accept("a", 10 * kWindow));
  EXPECT_FALSE(accept("b", 10 * kWindow - 5));
  EXPECT_TRUE(accept("c", kWindow));
  EXPECT_FALSE(accept("d", kWindow + 1));
  EXPECT_TRUE(accept("e", 2 * kWindow));
}

// A window of 0 turns dedup off.
TEST_F(Dedup, CanBeTurnedOff) {
  const DedupWindow window{1'000, "a"};
  EXPECT_EQ(std::get<DedupWindow>(decide_dedup(window, "b", 1'000, 0)).event_id, "b");
}

// Whatever the times, accepted events are a window apart, and nothing between two is lost.
RC_GTEST_PROP(DedupProperty, AcceptsTheFirstEventOfEachWindow,
              (const std::vector<std::uint16_t>& gaps)) {
  std::optional<DedupWindow> stored;
  WallMs now = 0;
  int id = 0;
  for (const std::uint16_t gap : gaps) {
    now += WallMs{gap} * 7;
    const auto decision = decide_dedup(stored, std::to_string(++id), now, kWindow);
    const bool expected = !stored || now - stored->start >= kWindow;
    RC_ASSERT(std::holds_alternative<DedupWindow>(decision) == expected);
    if (expected) stored = std::get<DedupWindow>(decision);
  }
}

// The length of a window is limited.
TEST(DedupWindows, HaveLimits) {
  for (const std::int64_t good : {std::int64_t{0}, kDedupWindowMinMs, kDedupWindowMaxMs}) {
    EXPECT_TRUE(check_dedup_window(good, "dedup")) << good;
  }
  for (const std::int64_t bad : {std::int64_t{-1}, std::int64_t{999}, kDedupWindowMaxMs + 1}) {
    EXPECT_EQ(check_dedup_window(bad, "dedup").error().param, "dedup") << bad;
  }
}

}  // namespace
}  // namespace drover::triggers
