// Limits as they are told and kept: each with its value and with what holds it.
//
//   {"memory": {"value": 536870912, "by": "cgroup"}, "cpus": {"value": 1.5, "by": "none"}, …}
#pragma once

#include <boost/json/object.hpp>

#include "base/resource_limits.h"

namespace drover::run {

// Only those that were asked for.
boost::json::object describe(const ResourceLimits& limits, const LimitEnforcement& by);

// The way back. False: it is not what `describe` has written.
bool read_limits(const boost::json::value& text, ResourceLimits& limits, LimitEnforcement& by);

}  // namespace drover::run
