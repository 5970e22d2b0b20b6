// The plan of a run, as it is typed and as it is told: what it waits for, how urgent it is, how
// often it is tried (R16, R17).
#pragma once

#include <boost/json/object.hpp>
#include <string>

#include "base/clock.h"
#include "cli/command.h"

namespace drover::cli {

// The fields of a submission that --after, --after-any, --priority, --retry … ask for.
Result<> add_plan(boost::json::object& request, const Arguments& arguments);

// "2/4" of a run that may be tried again, "2" of one that was, or nothing.
std::string say_attempt(const boost::json::object& run);
// Why a queued run is not running, in a few words: "after 01jc8x4r2m7h +2", "retry in 4s", "lane
// deploy". Or nothing.
std::string say_wait(const boost::json::object& run, WallMs now);
// "up to 4 times, 1s apart and longer, on failed, timed_out". Or nothing.
std::string say_retry(const boost::json::object& run);

}  // namespace drover::cli
