// Reports of progress by a run itself (R12): POST /api/runs/{id}/progress.
#pragma once

#include "api/http/request.h"
#include "api/http/response.h"
#include "api/services.h"

namespace drover::api {

// Only with the run's own token, or by the owner.
asio::awaitable<Result<Response>> say_progress(Services& services, Request& request);

}  // namespace drover::api
