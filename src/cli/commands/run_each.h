// drover run --each: starts a run for every input.
#pragma once

#include <boost/json/object.hpp>

#include "cli/command.h"

namespace drover::cli {

// `body` is the request for a single run.
Result<int> run_each(Context& context, const Arguments& arguments, boost::json::object body);

}  // namespace drover::cli
