// The handler for `why`: why a run is not running, what it is doing, or why it finished.
#pragma once

#include "api/http/request.h"
#include "api/http/response.h"
#include "api/services.h"

#include <boost/json/array.hpp>

#include "run/record.h"

namespace drover::api {

// The obstacles of a queued run. Other runs are named only if the caller can see them.
asio::awaitable<Result<boost::json::array>> obstacles_of(Services& services, const Request& request,
                                                         run::Record record);

// The active child of a running composite. Empty: it is between two children.
asio::awaitable<Result<std::optional<run::Record>>> current_child(Services& services,
                                                                  const Request& request,
                                                                  run::Record composite);

asio::awaitable<Result<Response>> why_run(Services& services, Request& request);

}  // namespace drover::api
