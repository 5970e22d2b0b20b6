// The handlers for handles: any id that was ever acknowledged resolves, from its evidence alone
// (H2–H9). Unlike other paths, they take complete ids only: a handle names a run and is not a
// search.
#pragma once

#include "api/http/request.h"
#include "api/http/response.h"
#include "api/services.h"

namespace drover::api {

asio::awaitable<Result<Response>> resolve_handle(Services& services, Request& request);
asio::awaitable<Result<Response>> show_timeline(Services& services, Request& request);
asio::awaitable<Result<Response>> cancel_handle(Services& services, Request& request);

}  // namespace drover::api
