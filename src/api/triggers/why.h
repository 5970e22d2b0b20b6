// The handlers that explain a trigger: what became of a time or an event, and what another one
// would do. Neither starts or changes anything.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "api/http/request.h"
#include "api/http/response.h"
#include "api/services.h"

namespace drover::api {

asio::awaitable<Result<Response>> why_trigger(Services& services, Request& request);
asio::awaitable<Result<Response>> test_trigger(Services& services, Request& request);

}  // namespace drover::api
