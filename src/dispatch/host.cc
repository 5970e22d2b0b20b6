#include "dispatch/host.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/background.h"

namespace drover::dispatch {

void Host::spawn(asio::awaitable<void> work) const {
  asio::co_spawn(loop, std::move(work), in_background);
}

asio::awaitable<void> Host::pause(std::chrono::milliseconds time) const {
  asio::steady_timer timer(loop, time);
  co_await timer.async_wait(asio::use_awaitable);
}

}  // namespace drover::dispatch
