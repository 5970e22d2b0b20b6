// The pause before another try at something unavailable, such as a full disk.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>

namespace drover::conduct {

inline boost::asio::awaitable<void> pause(boost::asio::any_io_executor loop) {
  constexpr std::chrono::milliseconds kPause{500};
  boost::asio::steady_timer timer(std::move(loop), kPause);
  co_await timer.async_wait(boost::asio::use_awaitable);
}

}  // namespace drover::conduct
