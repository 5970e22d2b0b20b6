// The body of a request to add or edit a trigger, from the options of the command line.
#pragma once

#include <boost/json/object.hpp>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/command.h"

namespace drover::cli {

// All fields but the name and the run. `before`: see source_of.
Result<boost::json::object> trigger_fields(const Arguments& arguments,
                                           std::string_view before = {});
// The field `run`; `words` is the command.
Result<boost::json::object> trigger_run(const Arguments& arguments,
                                        std::span<const std::string> words);

// Refuses `drover trigger add --every 1m -- make`: the first word is already the command.
Result<> check_has_name(const Arguments& arguments, std::string_view command);

}  // namespace drover::cli
