// The handler that retries a finished run on request (R17).
#pragma once

#include "api/http/request.h"
#include "api/http/response.h"
#include "api/services.h"

namespace drover::api {

// Answers 202 with the handle of the new attempt, after the commit.
asio::awaitable<Result<Response>> retry_run(Services& services, Request& request);

}  // namespace drover::api
