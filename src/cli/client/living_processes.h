// The living processes of runs, found by droverd: with or without a running daemon.
#pragma once

#include <boost/json/object.hpp>

#include "base/result.h"

namespace drover::cli {

// `survivors` are those of finished runs, `active` those of all others; each has a pid, a name, a
// run_id, and a `problem` for people.
Result<boost::json::object> find_living_processes();

}  // namespace drover::cli
