// The handlers that cancel runs, and that delete finished ones (R6, R8). An outcome is
// {"run_id","outcome"}, with the receipt once the run has finished.
#pragma once

#include "api/http/request.h"
#include "api/http/response.h"
#include "api/services.h"

namespace drover::api {

asio::awaitable<Result<Response>> cancel_run(Services& services, Request& request);

// Cancels the active runs of a scope and of those below it; answers how many had which outcome.
asio::awaitable<Result<Response>> cancel_scope(Services& services, Request& request);

asio::awaitable<Result<Response>> delete_run(Services& services, Request& request);

// Reads the body of a cancel: {"grace":"2s"}.
Result<std::optional<std::int64_t>> read_grace(std::string_view body);
std::unexpected<Error> not_cancellable();

}  // namespace drover::api
