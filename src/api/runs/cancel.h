// Ending runs, and removing those that have ended (R6, R8). Outcomes are answered
// as {"run_id","outcome"}, with the receipt once a run has ended.
#pragma once

#include "api/http/request.h"
#include "api/http/response.h"
#include "api/services.h"

namespace drover::api {

asio::awaitable<Result<Response>> cancel_run(Services& services, Request& request);

// Exactly the active runs of a scope and of those below it; says how many of which outcome.
asio::awaitable<Result<Response>> cancel_scope(Services& services, Request& request);

asio::awaitable<Result<Response>> delete_run(Services& services, Request& request);

// What the body of a cancel may say: {"grace":"2s"}.
Result<std::optional<std::int64_t>> read_grace(std::string_view body);
std::unexpected<Error> not_cancellable();

}  // namespace drover::api
