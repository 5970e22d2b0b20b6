// Records as JSON: the data of events and the answers of the doors. All of them use these
// functions, so that they agree about every field.
#pragma once

#include <boost/json/object.hpp>

#include "run/kind.h"
#include "run/record.h"

namespace drover::run {

// The data of run.queued: who submitted what.
boost::json::object describe_submission(const Record& record);

// The phase of a composite; null if it cannot be read.
boost::json::value describe_phase(const Record& record);

// The last progress; null if there is none.
boost::json::value describe_progress(const Record& record);

// The data of a run's last event: enough to answer for the run when nothing else is left.
boost::json::object describe_end(const Record& record);

// The whole record, as `show --json` prints it. The phase appears under the name that its kind
// gives it.
boost::json::object describe(const Record& record, const Kinds& kinds);

boost::json::object describe(const Receipt& receipt);

}  // namespace drover::run
