// Tokens and sessions: given away, listed, taken back; the one-time link, and what it opens.
#pragma once

#include "api/backing.h"
#include "api/http/request.h"
#include "api/http/response.h"

namespace drover::api {

asio::awaitable<Result<Response>> create_token(Backing& backing, Request& request);
asio::awaitable<Result<Response>> list_tokens(Backing& backing, Request& request);
asio::awaitable<Result<Response>> revoke_token(Backing& backing, Request& request);

// Sees to it that there is a TCP door, and answers the link.
asio::awaitable<Result<Response>> open_ui(Backing& backing, Request& request);
asio::awaitable<Result<Response>> log_in(Backing& backing, Request& request);
asio::awaitable<Result<Response>> log_out(Backing& backing, Request& request);

}  // namespace drover::api
