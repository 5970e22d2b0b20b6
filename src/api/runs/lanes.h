// The handlers for lanes: how many runs of each may run at once, and the order of the queued ones
// (R16).
#pragma once

#include "api/http/request.h"
#include "api/http/response.h"
#include "api/services.h"

namespace drover::api {

asio::awaitable<Result<Response>> list_lanes(Services& services, Request& request);
asio::awaitable<Result<Response>> set_lane(Services& services, Request& request);
asio::awaitable<Result<Response>> remove_lane(Services& services, Request& request);
// Moves a queued run to another lane or to another position in its own.
asio::awaitable<Result<Response>> move_run(Services& services, Request& request);

}  // namespace drover::api
