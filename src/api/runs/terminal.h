// A run's terminal, as its callers see it: that it has one, how large it is, and how it is resized.
#pragma once

#include <boost/json/object.hpp>
#include <optional>

#include "api/http/request.h"
#include "api/http/response.h"
#include "api/http/target.h"
#include "api/services.h"

namespace drover::api {

// Adds what a run reads, and its terminal as it is now, or was last.
void describe_input(boost::json::object& out, const Home& home, const RunId& id);
void describe_no_input(boost::json::object& out);  // The same of a run that reads nothing.

// The size that an object or a query names; what is left out is as in `otherwise`.
Result<TerminalSize> size_of(const boost::json::object& object, TerminalSize otherwise);
Result<std::optional<TerminalSize>> size_in(const Query& query);

// What the terminal shows, or showed last: text, or what draws it. Drover-Next-Offset says up to
// which byte of the log.
asio::awaitable<Result<Response>> show_screen(Services& services, Request& request);
asio::awaitable<Result<Response>> resize_run(Services& services, Request& request);

}  // namespace drover::api
