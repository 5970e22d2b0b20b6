// The plan of a run: its dependencies, priority and retries (R16, R17). Parses them from options,
// and formats them for people.
#pragma once

#include <boost/json/object.hpp>
#include <string>

#include "base/clock.h"
#include "cli/command.h"

namespace drover::cli {

// Adds the fields of a submission that --after, --after-any, --priority, --retry … set.
Result<> add_plan(boost::json::object& request, const Arguments& arguments);

// "2/4" for a run that may be retried, "2" for a retry, otherwise empty.
std::string say_attempt(const boost::json::object& run);
// Why a queued run is not running yet, in a few words: "after 01jc8x4r2m7h +2", "retry in 4s",
// "lane deploy". Empty: nothing to say.
std::string say_wait(const boost::json::object& run, WallMs now);
// "up to 4 times, 1s apart and longer, on failed, timed_out". Empty: it is not retried.
std::string say_retry(const boost::json::object& run);

}  // namespace drover::cli
