// The handlers for a run's terminal: whether it has one, its size, resizing it, and its screen; and
// the description of what the run's file says.
#pragma once

#include <boost/json/object.hpp>
#include <optional>

#include "api/http/request.h"
#include "api/http/response.h"
#include "api/http/target.h"
#include "api/services.h"

namespace drover::api {

// Adds what the run's file says: its timeouts and grace, its input, and its terminal in its current
// or last size.
void describe_run_file(boost::json::object& out, const Home& home, const RunId& id);
// The same without reading the file, for a run that takes no input.
struct RunTimes {
  std::int64_t timeout_ms = 0;  // 0: none.
  std::int64_t idle_timeout_ms = 0;
  std::int64_t grace_ms = 0;
};
void describe_times(boost::json::object& out, const RunTimes& times);

// The size in an object or a query; `otherwise` has the values of absent fields.
Result<TerminalSize> size_of(const boost::json::object& object, TerminalSize otherwise);
Result<std::optional<TerminalSize>> size_in(const Query& query);

// The terminal's current or last screen: as text, or as the bytes that draw it. Drover-Next-Offset
// is the offset of the output that the screen corresponds to.
asio::awaitable<Result<Response>> show_screen(Services& services, Request& request);
asio::awaitable<Result<Response>> resize_run(Services& services, Request& request);

}  // namespace drover::api
