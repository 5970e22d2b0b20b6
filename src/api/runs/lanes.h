// The lanes, how many runs of each go at once, and the places of those that wait (R16).
#pragma once

#include "api/backing.h"
#include "api/http/request.h"
#include "api/http/response.h"

namespace drover::api {

asio::awaitable<Result<Response>> list_lanes(Backing& backing, Request& request);
asio::awaitable<Result<Response>> set_lane(Backing& backing, Request& request);
asio::awaitable<Result<Response>> remove_lane(Backing& backing, Request& request);
// A queued run, to another lane or another place in its own.
asio::awaitable<Result<Response>> move_run(Backing& backing, Request& request);

}  // namespace drover::api
