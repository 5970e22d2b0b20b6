// The front page, at /. It tells a caller without a valid token or session how to get one, and
// shows nothing about runs.
#pragma once

#include "api/http/request.h"
#include "api/http/response.h"
#include "api/services.h"

namespace drover::api {

asio::awaitable<Result<Response>> show_front(Services& services, Request& request);

}  // namespace drover::api
