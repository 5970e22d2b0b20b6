// Waiting for a run to end, with a progress line once that takes over a second.
#pragma once

#include <boost/json/object.hpp>
#include <string>

#include "cli/context.h"

namespace drover::cli {

struct WaitLimit {
  bool final = false;              // For the last attempt of a run that is tried again.
  std::int64_t until_mono_ms = 0;  // No longer than until then; 0: however long it takes.
};

// The run's record once it has ended; or, when patience was over first, as it is then. A daemon
// that does not even say that is `daemon_silent`, soon after.
Result<boost::json::object> await_end(Context& context, const std::string& run,
                                      const WaitLimit& patience = {});

}  // namespace drover::cli
