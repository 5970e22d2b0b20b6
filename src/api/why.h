// Why a run is not running, or why it ended.
#pragma once

#include "api/backing.h"
#include "api/request.h"
#include "api/response.h"

namespace drover::api {

asio::awaitable<Result<Response>> why_run(Backing& backing, Request& request);

}  // namespace drover::api
