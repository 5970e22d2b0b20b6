#include "work/wakeup.h"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

namespace drover::work {

namespace asio = boost::asio;

Wakeup::Wakeup(const asio::any_io_executor& loop, std::unique_ptr<WallTimer> timer)
    : timer_(std::move(timer)), alarm_(loop) {}

void Wakeup::wake() {
  is_awake_ = true;
  alarm_.cancel();
}

void Wakeup::close() {
  is_closed_ = true;
  if (timer_) timer_->cancel();
  alarm_.cancel();
}

asio::awaitable<void> Wakeup::wait() {
  return sleep(asio::steady_timer::time_point::max());
}

asio::awaitable<void> Wakeup::wait_for(std::chrono::milliseconds time) {
  return sleep(asio::steady_timer::clock_type::now() + time);
}

asio::awaitable<void> Wakeup::wait_until(std::optional<WallMs> time) {
  if (time && !is_awake_ && !is_closed_) timer_->wake_at(*time, [this] { alarm_.cancel(); });
  co_await sleep(asio::steady_timer::time_point::max());
  if (time) timer_->cancel();
}

asio::awaitable<void> Wakeup::sleep(asio::steady_timer::time_point end) {
  if (!is_awake_ && !is_closed_) {
    alarm_.expires_at(end);
    boost::system::error_code canceled;
    co_await alarm_.async_wait(asio::redirect_error(asio::use_awaitable, canceled));
  }
  is_awake_ = false;
}

}  // namespace drover::work
