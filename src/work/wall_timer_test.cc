#include "work/wall_timer.h"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>

namespace drover::work {
namespace {

struct WallTimerTest : ::testing::Test {
  boost::asio::io_context loop;
  SystemClock clock;
  std::unique_ptr<SystemWallTimer> timer = *SystemWallTimer::open(loop.get_executor());
};

// A time that has passed rings at once, and one in the future not before it.
TEST_F(WallTimerTest, RingsAtItsTime) {
  int rung = 0;
  timer->wake_at(clock.wall_ms() - 5'000, [&] { ++rung; });
  loop.run();
  EXPECT_EQ(rung, 1);
  const WallMs later = clock.wall_ms() + 20;
  timer->wake_at(later, [&] {
    ++rung;
    EXPECT_GE(clock.wall_ms(), later);
  });
  loop.restart();
  loop.run();
  EXPECT_EQ(rung, 2);
}

// The latest call replaces the earlier ones, and a canceled timer is silent.
TEST_F(WallTimerTest, HasOneTime) {
  int first = 0;
  int second = 0;
  timer->wake_at(clock.wall_ms(), [&] { ++first; });
  timer->wake_at(clock.wall_ms(), [&] { ++second; });
  loop.run();
  EXPECT_EQ(first, 0);
  EXPECT_EQ(second, 1);
  timer->wake_at(clock.wall_ms(), [&] { ++second; });
  timer->cancel();
  loop.restart();
  loop.run();
  EXPECT_EQ(second, 1);
}

}  // namespace
}  // namespace drover::work
