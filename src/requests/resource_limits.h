// Reads the resource limits of a run from a request.
#pragma once

#include "base/resource_limits.h"
#include "requests/fields.h"

namespace drover::requests {

// "limits": {"memory": "512M", "cpus": 1.5, "pids": 100, "nice": 5, "output": "10M",
// "on_output": "keep" or "end"}. Sizes may be whole numbers of bytes, and numbers may be texts.
void read_limits(Fields& fields, ResourceLimits& limits);

}  // namespace drover::requests
