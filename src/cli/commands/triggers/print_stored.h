// Prints a trigger after it was added or edited: when it fires, and `more`; as JSON with --json.
#pragma once

#include <boost/json/object.hpp>
#include <string>

#include "base/result.h"
#include "cli/context.h"

namespace drover::cli {

Result<int> print_stored(Context& context, const boost::json::object& trigger,
                         const std::string& more = {});

}  // namespace drover::cli
