// A background task is a coroutine that nobody awaits:
//
//   asio::co_spawn(loop, work(), in_background);
//
// An exception that leaves it would be lost. A daemon without its accept loop, or one that no
// longer records how runs finish, would look healthy; so the exception ends the daemon, and the
// next daemon recovers.
#pragma once

#include <exception>

namespace drover {

inline constexpr auto in_background = [](std::exception_ptr thrown) {
  if (thrown) std::rethrow_exception(thrown);
};

}  // namespace drover
