// The handlers of the room triggers: they translate requests and answers.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "api/http/request.h"
#include "api/http/response.h"
#include "api/services.h"

namespace drover::api {

asio::awaitable<Result<>> check_trigger(Services& services, Request& request);

asio::awaitable<Result<Response>> list_triggers(Services& services, Request& request);
asio::awaitable<Result<Response>> add_trigger(Services& services, Request& request);
asio::awaitable<Result<Response>> show_trigger(Services& services, Request& request);
asio::awaitable<Result<Response>> edit_trigger(Services& services, Request& request);
asio::awaitable<Result<Response>> remove_trigger(Services& services, Request& request);
asio::awaitable<Result<Response>> pause_trigger(Services& services, Request& request);
asio::awaitable<Result<Response>> resume_trigger(Services& services, Request& request);
asio::awaitable<Result<Response>> fire_trigger(Services& services, Request& request);
asio::awaitable<Result<Response>> next_times(Services& services, Request& request);
asio::awaitable<Result<Response>> show_ledger(Services& services, Request& request);
asio::awaitable<Result<Response>> post_event(Services& services, Request& request);

}  // namespace drover::api
