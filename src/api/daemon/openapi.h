// Serves /openapi.json, the description of the API.
#pragma once

#include "api/http/request.h"
#include "api/http/response.h"
#include "api/services.h"

namespace drover::api {

asio::awaitable<Result<Response>> describe_api(Services& services, Request& request);

}  // namespace drover::api
