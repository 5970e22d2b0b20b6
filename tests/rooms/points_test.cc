// Whichever program is killed between the request for a delivery and its count, the delivery is
// counted once.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

#include "tests/harness.h"
#include "tests/torture/trial.h"

namespace drover::tests {
namespace {

std::ptrdiff_t counted(Trial& trial) {
  const std::string log = trial.ask({.method = "GET", .target = "/api/events?scope=parcels"}).text;
  std::ptrdiff_t times = 0;
  for (size_t at = log.find("parcel.counted"); at != std::string::npos;
       at = log.find("parcel.counted", at + 1)) {
    ++times;
  }
  return times;
}

// Sends one parcel twice, and waits until both runs are counted. Only a bug reaches the timeout.
void send_twice(Trial& trial) {
  for (const char* key : {"first", "second"}) {
    const Answer answer =
        trial.ask({.method = "POST", .target = "/api/parcels/big", .body = {}, .key = key});
    EXPECT_EQ(answer.status, 202) << answer.text;
  }
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (counted(trial) < 2 && std::chrono::steady_clock::now() < end) {
  }
}

// The count is right in this daemon and in the next, and verification finds no problem.
void expect_counted_once(Trial& trial) {
  trial.board.disarm();
  EXPECT_EQ(counted(trial), 2) << trial.daemon_log();
  trial.kill_daemon();
  EXPECT_EQ(counted(trial), 2) << trial.daemon_log();
  trial.stop_daemon();
  trial.wait_for_programs();
  const Output report = Started({std::string(DROVER_BIN) + "/droverd", "--verify"},
                                {{"DROVER_HOME", trial.file("home")}}, "")
                            .finish();
  EXPECT_EQ(report.code, 0) << report.out;
}

std::vector<std::string_view> points_on_the_way() {
  Trial trial;
  send_twice(trial);
  std::vector<std::string_view> out(kCrashPoints.begin(), kCrashPoints.end());
  std::erase_if(out, [&](std::string_view point) { return trial.board.passed(point) == 0; });
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
    Trial trial;
    trial.board.arm(point);
    send_twice(trial);
    if (is_surely_passed(point)) EXPECT_EQ(trial.board.deaths(point), 1U);
    expect_counted_once(trial);
  }
}

// A daemon is killed at every commit, and at every event of the follower.
TEST(ARoomThatIsKilled, AtEveryCommit) {
  for (const std::string_view point :
       {"commit.written", "commit.durable", "follow.decided", "follow.recorded"}) {
    std::uint32_t died = 1;
    for (std::uint32_t nth = 1; died != 0; ++nth) {
      SCOPED_TRACE(std::string(point) + " " + std::to_string(nth));
      Trial trial;
      trial.board.arm(point, nth);
      send_twice(trial);
      died = trial.board.deaths(point);
      expect_counted_once(trial);
      ASSERT_LT(nth, 50U);
    }
  }
}

}  // namespace
}  // namespace drover::tests
