// The inbox over HTTP: /api/inbox, and the questions and reports of a run.
#pragma once

#include "api/http/request.h"
#include "api/http/response.h"
#include "api/services.h"

namespace drover::api {

// `not_found` unless the caller can see the entry; replaces the beginning of an id by the id.
asio::awaitable<Result<>> check_entry(Services& services, Request& request);

asio::awaitable<Result<Response>> list_inbox(Services& services, Request& request);
asio::awaitable<Result<Response>> show_entry(Services& services, Request& request);
// By people: the owner, or a token; never a run.
asio::awaitable<Result<Response>> answer_question(Services& services, Request& request);
asio::awaitable<Result<Response>> dismiss_question(Services& services, Request& request);
// Only with the run's own token, or by the owner.
asio::awaitable<Result<Response>> withdraw_question(Services& services, Request& request);
asio::awaitable<Result<Response>> ask_question(Services& services, Request& request);
asio::awaitable<Result<Response>> make_report(Services& services, Request& request);

}  // namespace drover::api
