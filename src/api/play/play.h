// The handlers for Play, Stop, the state of a play session, and earlier plays (P6–P9).
#pragma once

#include "api/http/request.h"
#include "api/http/response.h"
#include "api/services.h"

namespace drover::api {

// 202, or 200 if the project is being played already: the request was ignored, and `why` says so.
asio::awaitable<Result<Response>> play_project(Services& services, Request& request);
// 202, or 200 if there is no runtime to stop.
asio::awaitable<Result<Response>> stop_project(Services& services, Request& request);
// With ?wait=, answers when the session is at rest or the time is over.
asio::awaitable<Result<Response>> show_session(Services& services, Request& request);
// One event per change of the session's state, and no others.
asio::awaitable<Result<Response>> show_feed(Services& services, Request& request);

}  // namespace drover::api
