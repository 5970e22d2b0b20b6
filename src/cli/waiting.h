// Waiting for a run to end, with a progress line once that takes over a second.
#pragma once

#include <boost/json/object.hpp>
#include <string>

#include "cli/context.h"

namespace drover::cli {

// The run's record once it has ended, however long that takes. `final`: that of its last attempt.
Result<boost::json::object> await_end(Context& context, const std::string& run, bool final = false);

}  // namespace drover::cli
