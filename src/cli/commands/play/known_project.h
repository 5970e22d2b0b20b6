// Finds the project that a command is about: by a typed id, a typed directory, or the current
// directory.
#pragma once

#include <boost/json/object.hpp>
#include <string>

#include "cli/context.h"

namespace drover::cli {

// The id of a registered project. `typed` is an id, a directory (with a /), or empty.
Result<std::string> known_project(Context& context, const std::string& typed);
// The same, but registers a directory that the daemon does not know yet.
Result<std::string> project_to_play(Context& context, const std::string& typed);
// Registers the project at or above `directory`; returns the daemon's answer.
Result<boost::json::object> add_project(Context& context, const std::string& directory);

}  // namespace drover::cli
