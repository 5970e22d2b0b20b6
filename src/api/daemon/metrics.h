// Metrics: how the daemon does, in numbers that are at hand. Nothing is counted by looking through
// the store, and no run has a label of its own, so an answer is small however much has happened.
#pragma once

#include "api/http/request.h"
#include "api/http/response.h"
#include "api/services.h"

namespace drover::api {

asio::awaitable<Result<Response>> show_metrics(Services& services, Request& request);

}  // namespace drover::api
