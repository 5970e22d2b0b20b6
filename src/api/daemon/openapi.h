// The API, described to strangers: /openapi.json.
#pragma once

#include "api/backing.h"
#include "api/http/request.h"
#include "api/http/response.h"

namespace drover::api {

asio::awaitable<Result<Response>> describe_api(Backing& backing, Request& request);

}  // namespace drover::api
