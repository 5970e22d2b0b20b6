// The handlers for the daemon's status, and for stopping it.
#pragma once

#include "api/http/request.h"
#include "api/http/response.h"
#include "api/services.h"

namespace drover::api {

asio::awaitable<Result<Response>> show_status(Services& services, Request& request);
asio::awaitable<Result<Response>> stop_daemon(Services& services, Request& request);

}  // namespace drover::api
