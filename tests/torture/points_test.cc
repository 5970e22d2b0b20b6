// Whichever program is killed at whichever crash point, the handles are correct.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <thread>

#include "tests/torture/day.h"
#include "tests/torture/judge.h"

namespace drover::tests {
namespace {

// Some points are passed only after a death at another one.
const std::multimap<std::string_view, std::string_view> kFirst{
    {"recovery.brought_back", "delete.in_trash"},
    {"recovery.stray_found", "submit.spec_written"},
    {"cradle.orphans_killed", "keeper.signed"},
};

class EveryPoint : public ::testing::TestWithParam<std::string_view> {
 protected:
  static void arm(Board& board, std::string_view point) {
    const auto [begin, end] = kFirst.equal_range(point);
    for (auto it = begin; it != end; ++it) board.arm(it->second);
    board.arm(point);
  }

  // The first program to pass the point dies there, and one must pass it.
  static void all_day(std::string_view point) {
    SCOPED_TRACE("armed from the beginning");
    Day day({.cradle_dies = false, .much = point.starts_with("checkpoint.")});
    arm(day.tortured.board, point);
    day.live();
    EXPECT_EQ(day.tortured.board.deaths(point), 1U)
        << day.tortured.board.passed(point) << " programs passed the point, and none died";
    judge(day.herd);
  }

  // The same at nightfall, with a history: for most points that is another situation.
  static void at_night(std::string_view point) {
    SCOPED_TRACE("armed at nightfall");
    Day day({.cradle_dies = true, .much = false});
    day.work();
    arm(day.tortured.board, point);
    day.dusk();
    day.night();
    day.morning();
    judge(day.herd);
  }
};

// H1, H7, H10, R4, R7, R15, R16: whichever program dies there. Two homes at once, as they mostly
// wait.
TEST_P(EveryPoint, RecoversFromADeath) {
  const std::jthread other([] { at_night(GetParam()); });
  all_day(GetParam());
}

// Plays, restored databases and compaction have their own scenarios (play_points_test.cc,
// restore_points_test.cc, compaction_points_test.cc), and so have followers (tests/rooms). The
// judge reads the whole history, of which compaction leaves too little.
std::vector<std::string_view> points() {
  std::vector<std::string_view> out(kCrashPoints.begin(), kCrashPoints.end());
  std::erase_if(out, [](std::string_view point) {
    return point.starts_with("play.") || point.starts_with("follow.") ||
           point.starts_with("trigger.") || point.starts_with("inbox.") ||
           point.starts_with("restore.") || point.starts_with("compact.");
  });
  return out;
}

INSTANTIATE_TEST_SUITE_P(Torture, EveryPoint, ::testing::ValuesIn(points()), [](const auto& info) {
  std::string name(info.param);
  std::ranges::replace(name, '.', '_');
  return name;
});

}  // namespace
}  // namespace drover::tests
