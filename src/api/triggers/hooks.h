// The handler of webhooks. It is not reachable with a token: the signature of the request decides.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "api/http/request.h"
#include "api/http/response.h"
#include "api/services.h"

namespace drover::api {

// Whether there is such a webhook, and the request is signed.
Result<> check_hook_head(Services& services, const Request& request);

asio::awaitable<Result<Response>> receive_hook(Services& services, Request& request);

}  // namespace drover::api
