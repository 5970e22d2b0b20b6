// What the command line makes of a project's play: lines of its log with the name of their source,
// what changed, how it ended. Pure.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <string>

#include "cli/terminal/screen.h"

namespace drover::cli {

// "build           │ text", with the newline. `entry` is one of the execution log (docs/api.md).
std::string log_line(const Screen& screen, const boost::json::object& entry);
// The same for what Drover itself has to say.
std::string play_line(const Screen& screen, std::string_view text, Color color = Color::dim);

// A state in the words of people: "the runtime is running". Empty: not worth a line.
std::string say_state(const boost::json::object& session);
Color color_of_session(const boost::json::object& session);
bool is_at_rest(const boost::json::object& session);

// "prepare_failed · build · exit_nonzero".
std::string session_line(const boost::json::object& session);

// The session that the record of a play's run tells of, as the daemon tells of one.
boost::json::object session_of(const boost::json::object& record);

// `drover play feed`: a line for each entry.
std::string feed_table(const Screen& screen, const boost::json::array& entries);

// `drover play status`.
std::string session_page(const Screen& screen, const boost::json::object& session);

}  // namespace drover::cli
