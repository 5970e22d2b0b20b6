// Evidence is a record, or a part of it, as JSON: what events carry and what the doors show. One
// place, so that `show`, the spine and a handle never disagree about a field.
#pragma once

#include <boost/json/object.hpp>

#include "run/kind.h"
#include "run/record.h"

namespace drover::run {

// What run.queued carries: who asked for what.
boost::json::object describe_submission(const Record& record);

// How far a composite has come; null if that cannot be read.
boost::json::value describe_phase(const Record& record);

// What a terminal event carries: enough to answer for the run when nothing else is left.
boost::json::object describe_end(const Record& record);

// Everything, as `show --json` prints it. A phase is called what its kind calls it.
boost::json::object describe(const Record& record, const Kinds& kinds);

boost::json::object describe(const Receipt& receipt);

}  // namespace drover::run
