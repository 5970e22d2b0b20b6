// A run's terminal, as its callers see it: that it has one, how large it is, and how it is resized.
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <optional>

#include "api/backing.h"
#include "api/request.h"
#include "api/response.h"
#include "api/target.h"

namespace drover::api {

// {"rows":24,"cols":80}: a run's terminal as it is now, or was last. Null: it has none.
boost::json::value describe_terminal(const Home& home, const RunId& id);
std::optional<TerminalSize> terminal_of(const Home& home, const RunId& id);

// The size that an object or a query names; what is left out is as in `otherwise`.
Result<TerminalSize> size_of(const boost::json::object& object, TerminalSize otherwise);
Result<std::optional<TerminalSize>> size_in(const Query& query);

asio::awaitable<Result<Response>> resize_run(Backing& backing, Request& request);

}  // namespace drover::api
