// Handles: what an id that was ever acknowledged resolves to, from the spine alone (H2–H9). Unlike
// the other doors these take whole ids only: a handle is a name, not a search.
#pragma once

#include "api/backing.h"
#include "api/http/request.h"
#include "api/http/response.h"

namespace drover::api {

asio::awaitable<Result<Response>> resolve_handle(Backing& backing, Request& request);
asio::awaitable<Result<Response>> show_timeline(Backing& backing, Request& request);
asio::awaitable<Result<Response>> cancel_handle(Backing& backing, Request& request);

}  // namespace drover::api
