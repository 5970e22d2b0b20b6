// Whether the daemon lives, and whether it can take runs: what supervisors and balancers ask.
#pragma once

#include "api/backing.h"
#include "api/http/request.h"
#include "api/http/response.h"

namespace drover::api {

asio::awaitable<Result<Response>> show_health(Backing& backing, Request& request);
asio::awaitable<Result<Response>> show_readiness(Backing& backing, Request& request);

}  // namespace drover::api
