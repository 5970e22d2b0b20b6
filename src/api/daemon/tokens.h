// Tokens and sessions: given away, listed, taken back; the one-time link, and what it opens.
#pragma once

#include "api/http/request.h"
#include "api/http/response.h"
#include "api/services.h"

namespace drover::api {

asio::awaitable<Result<Response>> create_token(Services& services, Request& request);
asio::awaitable<Result<Response>> list_tokens(Services& services, Request& request);
asio::awaitable<Result<Response>> revoke_token(Services& services, Request& request);

// Sees to it that there is a TCP door, and answers the link.
asio::awaitable<Result<Response>> open_ui(Services& services, Request& request);
asio::awaitable<Result<Response>> log_in(Services& services, Request& request);
asio::awaitable<Result<Response>> log_out(Services& services, Request& request);

}  // namespace drover::api
