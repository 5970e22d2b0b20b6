// The handlers that create, show and list runs.
#pragma once

#include "api/http/request.h"
#include "api/http/response.h"
#include "api/services.h"

namespace drover::api {

// Answers 202 with the handle, after the commit (H1).
asio::awaitable<Result<Response>> create_run(Services& services, Request& request);

// The record; with ?wait=, when the run has finished or the time is over.
asio::awaitable<Result<Response>> get_run(Services& services, Request& request);

asio::awaitable<Result<Response>> list_runs(Services& services, Request& request);

// The links in a run's handle; `self` is the run's path.
boost::json::object links_of(const std::string& self);

}  // namespace drover::api
