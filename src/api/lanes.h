// The lanes and how many runs of each go at once (R16).
#pragma once

#include "api/backing.h"
#include "api/request.h"
#include "api/response.h"

namespace drover::api {

asio::awaitable<Result<Response>> list_lanes(Backing& backing, Request& request);
asio::awaitable<Result<Response>> set_lane(Backing& backing, Request& request);

}  // namespace drover::api
