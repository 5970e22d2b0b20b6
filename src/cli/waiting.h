// Waits for a run to finish, with a progress line after one second.
#pragma once

#include <boost/json/object.hpp>
#include <string>

#include "cli/context.h"

namespace drover::cli {

struct WaitLimit {
  bool final = false;              // Wait for the last attempt of a run that is retried.
  std::int64_t until_mono_ms = 0;  // The deadline; 0: none.
};

// Returns the run's record once it has finished, or at the deadline as it is then. If the daemon
// does not answer soon after the deadline: `daemon_silent`.
Result<boost::json::object> await_end(Context& context, const std::string& run,
                                      const WaitLimit& limit = {});

}  // namespace drover::cli
