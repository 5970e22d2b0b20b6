// Memories over HTTP: /api/memory.
#pragma once

#include "api/http/request.h"
#include "api/http/response.h"
#include "api/services.h"

namespace drover::api {

// `not_found` unless the caller can read the memory of that name.
asio::awaitable<Result<>> check_memory(Services& services, Request& request);

asio::awaitable<Result<Response>> list_memories(Services& services, Request& request);
asio::awaitable<Result<Response>> read_memory(Services& services, Request& request);
asio::awaitable<Result<Response>> write_memory(Services& services, Request& request);
asio::awaitable<Result<Response>> show_memory_log(Services& services, Request& request);

}  // namespace drover::api
