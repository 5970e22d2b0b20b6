// The health checks for supervisors and load balancers: whether the daemon is alive, and whether a
// run can start and end now.
#pragma once

#include "api/http/request.h"
#include "api/http/response.h"
#include "api/services.h"

namespace drover::api {

asio::awaitable<Result<Response>> show_health(Services& services, Request& request);
asio::awaitable<Result<Response>> show_readiness(Services& services, Request& request);
// Starts and ends a probe run, however recently another run has ended.
asio::awaitable<Result<Response>> probe_daemon(Services& services, Request& request);

}  // namespace drover::api
