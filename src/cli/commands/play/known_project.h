// Which project a command is about: the one whose id was typed, or that of the directory that was
// typed, or of where we are.
#pragma once

#include <boost/json/object.hpp>
#include <string>

#include "cli/context.h"

namespace drover::cli {

// The id of a project that the daemon knows. `typed` is an id, a directory (with a /), or empty.
Result<std::string> known_project(Context& context, const std::string& typed);
// The same, and a directory that is new to the daemon becomes known.
Result<std::string> project_to_play(Context& context, const std::string& typed);
// Makes the project at or above `directory` known; what the daemon says of it.
Result<boost::json::object> add_project(Context& context, const std::string& directory);

}  // namespace drover::cli
