// The handler for `why`: why a run is not running, what it is doing, or why it finished.
#pragma once

#include "api/http/request.h"
#include "api/http/response.h"
#include "api/services.h"

#include <boost/json/array.hpp>

#include "run/record.h"

namespace drover::api {

// The obstacles of a queued run. Other runs are named only if the caller can see them.
Result<boost::json::array> obstacles_of(const Services& services, const access::Grant& grant,
                                        const run::Record& record);

// The active child of a running composite. Empty: it is between two children.
Result<std::optional<run::Record>> current_child(const run::Kinds& kinds, store::Store& store,
                                                 const run::Record& composite);

asio::awaitable<Result<Response>> why_run(Services& services, Request& request);

}  // namespace drover::api
