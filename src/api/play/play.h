// Play and Stop, how far a play has come, and how those before it went (P6–P9).
#pragma once

#include "api/http/request.h"
#include "api/http/response.h"
#include "api/services.h"

namespace drover::api {

// 202, or 200 if it is being played already: nothing was done, and `why` says so.
asio::awaitable<Result<Response>> play_project(Services& services, Request& request);
// 202, or 200 if there is no runtime to stop.
asio::awaitable<Result<Response>> stop_project(Services& services, Request& request);
// With ?wait= as it is when the session is at rest, or the time is over.
asio::awaitable<Result<Response>> show_session(Services& services, Request& request);
// One entry for each change of a session's state, and nothing else.
asio::awaitable<Result<Response>> show_feed(Services& services, Request& request);

}  // namespace drover::api
