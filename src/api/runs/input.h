// The handlers for bytes to a run's standard input, and for signals to its process group.
#pragma once

#include "api/http/request.h"
#include "api/http/response.h"
#include "api/services.h"

namespace drover::api {

asio::awaitable<Result<Response>> send_input(Services& services, Request& request);
asio::awaitable<Result<Response>> send_signal(Services& services, Request& request);

// "TERM", "SIGTERM" or "15"; empty if there is no such signal.
std::optional<int> signal_named(std::string_view text);

}  // namespace drover::api
