// What a run printed, read while it runs or afterwards: by range or by its last lines (R11).
#pragma once

#include "api/http/request.h"
#include "api/http/response.h"
#include "api/services.h"

namespace drover::api {

// Bytes as they were, or one JSON object a line; Drover-Next-Offset says where to go on.
asio::awaitable<Result<Response>> read_logs(Services& services, Request& request);

}  // namespace drover::api
