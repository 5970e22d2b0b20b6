// Checks resource limits: a typing error is refused, and the error names the field.
#include <string>

#include "base/size.h"
#include "run/spec.h"

namespace drover::run {
namespace {

template <class T>
bool is_within(T value, T least, T most) {
  return value == T{} || (value >= least && value <= most);
}

}  // namespace

Result<> validate_limits(const ResourceLimits& limits) {
  if (!is_within(limits.memory_bytes, limits::kMemoryBytesMin, limits::kMemoryBytesMax)) {
    return fail_invalid("limits.memory", "limits.memory must be between " +
                                             format_size(limits::kMemoryBytesMin) + " and " +
                                             format_size(limits::kMemoryBytesMax));
  }
  if (!is_within(limits.cpu_milli, limits::kCpuMilliMin, limits::kCpuMilliMax)) {
    return fail_invalid("limits.cpus", "limits.cpus must be between 0.01 and 1000");
  }
  if (!is_within(limits.pids, 1U, limits::kPidsMax)) {
    return fail_invalid("limits.pids",
                        "limits.pids must be between 1 and " + std::to_string(limits::kPidsMax));
  }
  if (limits.nice < limits::kNiceMin || limits.nice > limits::kNiceMax) {
    return fail_invalid("limits.nice", "limits.nice must be between -20 and 19");
  }
  if (!is_within(limits.output_bytes, limits::kOutputLimitMin, limits::kOutputLimitMax)) {
    return fail_invalid("limits.output", "limits.output must be between " +
                                             format_size(limits::kOutputLimitMin) + " and " +
                                             format_size(limits::kOutputLimitMax));
  }
  if (limits.output_ends != 0 && limits.output_bytes == 0) {
    return fail_invalid("limits.on_output",
                        "limits.on_output needs limits.output; set the maximum size of the output");
  }
  return {};
}

}  // namespace drover::run
