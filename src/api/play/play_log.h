// The handler for a project's execution log (P9): in pages, or followed until the session is at
// rest and all entries were sent.
#pragma once

#include "api/http/request.h"
#include "api/http/response.h"
#include "api/services.h"

namespace drover::api {

// One JSON object per line. In a stream each is an event `play.log`, and changes of the session
// come in between as `play.changed`, which is not part of the log and has no id.
asio::awaitable<Result<Response>> read_play_log(Services& services, Request& request);

}  // namespace drover::api
