// The handlers for tokens and browser sessions: issue, list and revoke them; create the one-time
// login link and log in with it.
#pragma once

#include "api/http/request.h"
#include "api/http/response.h"
#include "api/services.h"

namespace drover::api {

asio::awaitable<Result<Response>> create_token(Services& services, Request& request);
asio::awaitable<Result<Response>> list_tokens(Services& services, Request& request);
asio::awaitable<Result<Response>> revoke_token(Services& services, Request& request);

// Opens the TCP address if it is not open yet, and answers the login link.
asio::awaitable<Result<Response>> open_ui(Services& services, Request& request);
asio::awaitable<Result<Response>> log_in(Services& services, Request& request);
asio::awaitable<Result<Response>> log_out(Services& services, Request& request);

}  // namespace drover::api
