// The handler for a run's output, during the run or afterwards: by range, or its last lines (R11).
#pragma once

#include "api/http/request.h"
#include "api/http/response.h"
#include "api/services.h"

namespace drover::api {

// The raw bytes, or one JSON object per line; Drover-Next-Offset is the offset to resume at.
asio::awaitable<Result<Response>> read_logs(Services& services, Request& request);

}  // namespace drover::api
