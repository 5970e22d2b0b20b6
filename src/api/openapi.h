// The API, described to strangers: /openapi.json.
#pragma once

#include "api/backing.h"
#include "api/request.h"
#include "api/response.h"

namespace drover::api {

asio::awaitable<Result<Response>> describe_api(Backing& backing, Request& request);

}  // namespace drover::api
