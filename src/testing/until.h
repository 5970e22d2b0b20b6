// Waits of tests for something that happens soon in another thread or process. A wait ends as soon
// as the check is true; only a bug reaches the limit of a minute, and then the wait returns false.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>

namespace drover::testing {

inline constexpr std::chrono::seconds kPatience{60};

// Repeats the check, which is itself what takes time, such as a request.
template <class Check>
[[nodiscard]] bool becomes_true(Check is_true) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!is_true()) {
    if (std::chrono::steady_clock::now() >= end) return false;
  }
  return true;
}

// Repeats the check after each handler that the loop runs.
template <class Check>
[[nodiscard]] bool run_until(boost::asio::io_context& loop, Check is_true) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!is_true()) {
    if (std::chrono::steady_clock::now() >= end) return false;
    loop.restart();
    loop.run_one_until(end);
  }
  return true;
}

}  // namespace drover::testing
