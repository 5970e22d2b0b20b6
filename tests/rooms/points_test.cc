// Whichever program is killed between the request for a delivery and its count, the delivery is
// counted once.
#include <gtest/gtest.h>

#include <algorithm>

#include "testing/until.h"
#include "tests/harness.h"
#include "tests/torture/tortured_home.h"

namespace drover::tests {
namespace {

std::ptrdiff_t counted(TorturedHome& tortured) {
  const std::string log =
      tortured.ask({.method = "GET", .target = "/api/events?scope=parcels"}).text;
  std::ptrdiff_t times = 0;
  for (size_t at = log.find("parcel.counted"); at != std::string::npos;
       at = log.find("parcel.counted", at + 1)) {
    ++times;
  }
  return times;
}

// Sends one parcel twice, and waits until both runs are counted.
void send_twice(TorturedHome& tortured) {
  for (const char* key : {"first", "second"}) {
    const DaemonAnswer answer =
        tortured.ask({.method = "POST", .target = "/api/parcels/big", .body = {}, .key = key});
    EXPECT_EQ(answer.status, 202) << answer.text;
  }
  EXPECT_TRUE(testing::becomes_true([&] { return counted(tortured) >= 2; }));
}

// The count is right in this daemon and in the next, and verification finds no problem.
void expect_counted_once(TorturedHome& tortured) {
  tortured.board.disarm();
  EXPECT_EQ(counted(tortured), 2) << tortured.daemon_log();
  tortured.kill_daemon();
  EXPECT_EQ(counted(tortured), 2) << tortured.daemon_log();
  tortured.stop_daemon();
  tortured.wait_for_programs();
  const Output report = Started({std::string(DROVER_BIN) + "/droverd", "--verify"},
                                {{"DROVER_HOME", tortured.file("home")}}, "")
                            .finish();
  EXPECT_EQ(report.code, 0) << report.out;
}

std::vector<std::string_view> points_on_the_way() {
  TorturedHome tortured;
  send_twice(tortured);
  std::vector<std::string_view> out(kCrashPoints.begin(), kCrashPoints.end());
  std::erase_if(out, [&](std::string_view point) { return tortured.board.passed(point) == 0; });
  return out;
}

// Whether other points are passed depends on timing: a start is recorded together with the end if
// that comes soon, and a keeper may be reused.
bool is_surely_passed(std::string_view point) {
  return std::ranges::any_of(std::to_array<std::string_view>({"daemon.", "migration.", "submit.",
                                                              "answer.", "commit.", "follow."}),
                             [&](std::string_view part) { return point.starts_with(part); });
}

// The first program that reaches each point is killed.
TEST(ARoomThatIsKilled, AtEveryPoint) {
  const auto points = points_on_the_way();
  EXPECT_GE(points.size(), 30U);
  for (const std::string_view must : {"follow.decided", "follow.recorded", "commit.durable"}) {
    EXPECT_NE(std::ranges::find(points, must), points.end()) << must;
  }
  for (const std::string_view point : points) {
    SCOPED_TRACE(point);
    TorturedHome tortured;
    tortured.board.arm(point);
    send_twice(tortured);
    if (is_surely_passed(point)) EXPECT_EQ(tortured.board.deaths(point), 1U);
    expect_counted_once(tortured);
  }
}

// A daemon is killed at every commit, and at every event of the follower.
TEST(ARoomThatIsKilled, AtEveryCommit) {
  for (const std::string_view point :
       {"commit.written", "commit.durable", "follow.decided", "follow.recorded"}) {
    std::uint32_t died = 1;
    for (std::uint32_t nth = 1; died != 0; ++nth) {
      SCOPED_TRACE(std::string(point) + " " + std::to_string(nth));
      TorturedHome tortured;
      tortured.board.arm(point, nth);
      send_twice(tortured);
      died = tortured.board.deaths(point);
      expect_counted_once(tortured);
      ASSERT_LT(nth, 50U);
    }
  }
}

}  // namespace
}  // namespace drover::tests
