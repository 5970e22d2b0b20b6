// The daemon about itself, and the way to stop it.
#pragma once

#include "api/backing.h"
#include "api/http/request.h"
#include "api/http/response.h"

namespace drover::api {

asio::awaitable<Result<Response>> show_status(Backing& backing, Request& request);
asio::awaitable<Result<Response>> stop_daemon(Backing& backing, Request& request);

}  // namespace drover::api
