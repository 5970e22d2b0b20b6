// Bytes for a run's standard input, and signals for its process group.
#pragma once

#include "api/backing.h"
#include "api/http/request.h"
#include "api/http/response.h"

namespace drover::api {

asio::awaitable<Result<Response>> send_input(Backing& backing, Request& request);
asio::awaitable<Result<Response>> send_signal(Backing& backing, Request& request);

// "TERM", "SIGTERM" or "15"; nothing if there is no such signal.
std::optional<int> signal_named(std::string_view text);

}  // namespace drover::api
