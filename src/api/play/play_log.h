// The execution log of a project (P9) at the door: in pages, or followed until its session is at
// rest and all is told.
#pragma once

#include "api/http/request.h"
#include "api/http/response.h"
#include "api/services.h"

namespace drover::api {

// One JSON object a line; in a stream each is an event `play.log`, and what changes in the session
// comes in between as `play.changed`, which is no part of the log and has no id.
asio::awaitable<Result<Response>> read_play_log(Services& services, Request& request);

}  // namespace drover::api
