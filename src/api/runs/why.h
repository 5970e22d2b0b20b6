// Why a run is not running, what it is at, or why it ended.
#pragma once

#include "api/http/request.h"
#include "api/http/response.h"
#include "api/services.h"

#include <boost/json/array.hpp>

#include "run/record.h"

namespace drover::api {

// What stands in the way of a queued run, as far as the caller can see whom it is about.
Result<boost::json::array> obstacles_of(const Services& services, const access::Grant& grant,
                                        const run::Record& record);

// Of a composite that is under way: the run that it is at. Nothing: it is between two of them.
Result<std::optional<run::Record>> current_child(const run::Kinds& kinds, store::Store& store,
                                                 const run::Record& composite);

asio::awaitable<Result<Response>> why_run(Services& services, Request& request);

}  // namespace drover::api
