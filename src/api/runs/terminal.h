// The handlers for a run's terminal: whether it has one, its size, resizing it, and its screen.
#pragma once

#include <boost/json/object.hpp>
#include <optional>

#include "api/http/request.h"
#include "api/http/response.h"
#include "api/http/target.h"
#include "api/services.h"

namespace drover::api {

// Adds a description of the run's input and of its terminal, in its current or last size.
void describe_input(boost::json::object& out, const Home& home, const RunId& id);
void describe_no_input(boost::json::object& out);  // The same for a run without input.

// The size in an object or a query; `otherwise` has the values of absent fields.
Result<TerminalSize> size_of(const boost::json::object& object, TerminalSize otherwise);
Result<std::optional<TerminalSize>> size_in(const Query& query);

// The terminal's current or last screen: as text, or as the bytes that draw it. Drover-Next-Offset
// is the offset of the output that the screen corresponds to.
asio::awaitable<Result<Response>> show_screen(Services& services, Request& request);
asio::awaitable<Result<Response>> resize_run(Services& services, Request& request);

}  // namespace drover::api
