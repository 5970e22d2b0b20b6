// The front: what stands at / for whoever looks there first. The same for everybody, and nothing
// of what is here.
#pragma once

#include "api/backing.h"
#include "api/http/request.h"
#include "api/http/response.h"

namespace drover::api {

asio::awaitable<Result<Response>> show_front(Backing& backing, Request& request);

}  // namespace drover::api
