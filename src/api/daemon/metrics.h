// Metrics are the daemon's numbers, from counters that it keeps anyway. No request scans the store,
// and no run has a label of its own, so the answer stays small.
#pragma once

#include "api/http/request.h"
#include "api/http/response.h"
#include "api/services.h"

namespace drover::api {

asio::awaitable<Result<Response>> show_metrics(Services& services, Request& request);

}  // namespace drover::api
