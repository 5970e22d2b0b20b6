// A coroutine that sleeps in a Wakeup works when it is woken or its time has come, and misses no
// call.
#include "work/wakeup.h"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <functional>

#include "testing/manual_timer.h"

namespace drover::work {
namespace {

namespace asio = boost::asio;

struct WakeupTest : ::testing::Test {
  // A worker that counts its rounds; `in_round` is called in each of them.
  void start(std::optional<WallMs> until = std::nullopt) {
    asio::co_spawn(
        loop,
        [this, until]() -> asio::awaitable<void> {
          while (!wakeup.is_closed()) {
            ++rounds;
            if (in_round) in_round();
            co_await wakeup.wait_until(until);
          }
          has_ended = true;
        },
        asio::detached);
    settle();
  }
  // Runs the loop until nothing is ready.
  void settle() {
    loop.restart();
    loop.poll();
  }

  asio::io_context loop;
  testing::ManualTimer* const timer = new testing::ManualTimer;  // Owned by the wakeup.
  Wakeup wakeup{loop.get_executor(), std::unique_ptr<WallTimer>(timer)};
  std::function<void()> in_round;
  int rounds = 0;
  bool has_ended = false;
};

// Each call while the coroutine sleeps is one round; without a call there is none.
TEST_F(WakeupTest, ACallIsARound) {
  start();
  settle();
  EXPECT_EQ(rounds, 1);
  for (int calls = 1; calls <= 3; ++calls) {
    wakeup.wake();
    settle();
    EXPECT_EQ(rounds, 1 + calls);
  }
}

// Calls while the coroutine works are one further round.
TEST_F(WakeupTest, ACallDuringARoundIsNotLost) {
  in_round = [this] {
    if (rounds != 1) return;
    wakeup.wake();
    wakeup.wake();
  };
  start();
  EXPECT_EQ(rounds, 2);
}

// The time of the timer ends the wait, too; afterwards the timer is not armed.
TEST_F(WakeupTest, ATimeIsARound) {
  in_round = [this] { EXPECT_FALSE(timer->at()); };
  start(5'000);
  EXPECT_EQ(timer->at(), 5'000);
  timer->ring();
  settle();
  EXPECT_EQ(rounds, 2);
  EXPECT_EQ(timer->at(), 5'000);
  wakeup.wake();
  settle();
  EXPECT_EQ(rounds, 3);
}

// A wait for some time ends by itself.
TEST_F(WakeupTest, WaitsForATime) {
  bool is_over = false;
  asio::co_spawn(
      loop,
      [&]() -> asio::awaitable<void> {
        co_await wakeup.wait_for(std::chrono::milliseconds(1));
        is_over = true;
      },
      asio::detached);
  loop.run();
  EXPECT_TRUE(is_over);
}

// Closing ends the wait and every later one.
TEST_F(WakeupTest, ClosingEndsTheCoroutine) {
  start(5'000);
  wakeup.close();
  settle();
  EXPECT_TRUE(has_ended);
  EXPECT_EQ(rounds, 1);
  EXPECT_FALSE(timer->at());
}

}  // namespace
}  // namespace drover::work
