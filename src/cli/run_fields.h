// The fields of a run that the options of a command set: `drover run`, and every command that
// describes a run which starts later.
#pragma once

#include <boost/json/object.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/command.h"

namespace drover::cli {

// The command or script in `words`, its directory (this one, or --cwd), labels, plan, and every
// option that names a field of the API. The environment is not included.
Result<boost::json::object> run_fields(const Arguments& arguments, std::span<const Option> options,
                                       std::span<const std::string> words);

// An absolute path: `wished`, below the current directory if it is relative; or that directory.
Result<std::string> absolute_directory(const std::optional<std::string>& wished);

}  // namespace drover::cli
