// The handlers for events, of one run or of all: in pages, or as a stream (sse.h).
#pragma once

#include "api/http/request.h"
#include "api/http/response.h"
#include "api/services.h"

namespace drover::api {

// Also works for a deleted run: its events stay until they are compacted, its final event also
// after that (R8).
asio::awaitable<Result<Response>> run_events(Services& services, Request& request);
asio::awaitable<Result<Response>> all_events(Services& services, Request& request);

}  // namespace drover::api
