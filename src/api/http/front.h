// The front: what stands at / for whoever looks there first. The same for everybody, and nothing
// of what is here.
#pragma once

#include "api/http/request.h"
#include "api/http/response.h"
#include "api/services.h"

namespace drover::api {

asio::awaitable<Result<Response>> show_front(Services& services, Request& request);

}  // namespace drover::api
