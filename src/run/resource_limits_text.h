// Resource limits as JSON: each with its value and with what enforces it.
//
//   {"memory": {"value": 536870912, "by": "cgroup"}, "cpus": {"value": 1.5, "by": "none"}, …}
#pragma once

#include <boost/json/object.hpp>

#include "base/resource_limits.h"

namespace drover::run {

// Only those that were requested.
boost::json::object describe(const ResourceLimits& limits, const LimitEnforcement& by);

// The inverse. False: `describe` did not write this.
bool read_limits(const boost::json::value& text, ResourceLimits& limits, LimitEnforcement& by);

}  // namespace drover::run
