// Work in the background is a coroutine that nobody waits for:
//
//   asio::co_spawn(loop, work(), in_background);
//
// Nobody would hear of what it throws either. A daemon that lost an accept loop or the recording of
// an end that way would look well for ever; so it ends instead, and the next one recovers.
#pragma once

#include <exception>

namespace drover {

inline constexpr auto in_background = [](std::exception_ptr thrown) {
  if (thrown) std::rethrow_exception(thrown);
};

}  // namespace drover
