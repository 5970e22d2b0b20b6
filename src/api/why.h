// Why a run is not running, what it is at, or why it ended.
#pragma once

#include "api/backing.h"
#include "api/request.h"
#include "api/response.h"

#include <boost/json/array.hpp>

#include "run/record.h"

namespace drover::api {

// What stands in the way of a queued run, as far as the caller can see whom it is about.
Result<boost::json::array> obstacles_of(const Backing& backing, const access::Grant& grant,
                                        const run::Record& record);

// Of a play that is under way: the run that it is at. Nothing: it is between two of them.
Result<std::optional<run::Record>> current_child(store::Store& store, const run::Record& play);

asio::awaitable<Result<Response>> why_run(Backing& backing, Request& request);

}  // namespace drover::api
