// Whether the daemon lives, and whether it can take runs: what supervisors and balancers ask.
#pragma once

#include "api/http/request.h"
#include "api/http/response.h"
#include "api/services.h"

namespace drover::api {

asio::awaitable<Result<Response>> show_health(Services& services, Request& request);
asio::awaitable<Result<Response>> show_readiness(Services& services, Request& request);

}  // namespace drover::api
