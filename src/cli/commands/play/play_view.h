// The texts of a play: labeled log lines, state changes, and how it finished. Pure.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <string>

#include "cli/terminal/screen.h"

namespace drover::cli {

// "build           │ text", with the newline. `entry` is an entry of the execution log
// (docs/api.md).
std::string log_line(const Screen& screen, const boost::json::object& entry);
// The same for a message of Drover itself.
std::string play_line(const Screen& screen, std::string_view text, Color color = Color::dim);

// A state in words: "the runtime is running". Empty: not worth a line.
std::string say_state(const boost::json::object& session);
Color color_of_session(const boost::json::object& session);
bool is_at_rest(const boost::json::object& session);

// "prepare_failed · build · exit_nonzero".
std::string session_line(const boost::json::object& session);

// The session in the record of a play's run, in the daemon's session format.
boost::json::object session_of(const boost::json::object& record);

// `drover play feed`: a line for each entry.
std::string feed_table(const Screen& screen, const boost::json::array& entries);

// `drover play status`.
std::string session_page(const Screen& screen, const boost::json::object& session);

}  // namespace drover::cli
