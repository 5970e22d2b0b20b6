// A Wakeup is the place where one coroutine of the loop sleeps between two rounds of its work,
// until another part calls `wake` or a time has come. A call while the coroutine works is not lost:
// the next wait returns at once, so the coroutine does another round.
//
//   while (!wakeup.is_closed()) {
//     const auto next = co_await do_what_is_due();
//     co_await wakeup.wait_until(next);
//   }
//
// Lives on the loop. It must outlive the coroutine that waits; the owner's destructor calls
// `close`, which ends the wait. It does not know why it is woken: the coroutine checks what is due.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <memory>
#include <optional>

#include "base/clock.h"
#include "work/wall_timer.h"

namespace drover::work {

class Wakeup {
 public:
  // `timer` is for wait_until; without one, only the other waits may be used.
  explicit Wakeup(const boost::asio::any_io_executor& loop,
                  std::unique_ptr<WallTimer> timer = nullptr);

  void wake();
  // Every wait returns at once from now on.
  void close();
  bool is_closed() const { return is_closed_; }

  boost::asio::awaitable<void> wait();
  boost::asio::awaitable<void> wait_for(std::chrono::milliseconds time);
  // Until that time of the wall clock, or earlier if the clock was set; without a time, as `wait`.
  boost::asio::awaitable<void> wait_until(std::optional<WallMs> time);

 private:
  boost::asio::awaitable<void> sleep(boost::asio::steady_timer::time_point end);

  std::unique_ptr<WallTimer> timer_;
  boost::asio::steady_timer alarm_;  // Canceled to end the wait.
  bool is_awake_ = false;            // Woken since the last wait returned.
  bool is_closed_ = false;
};

}  // namespace drover::work
