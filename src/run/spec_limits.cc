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

std::unexpected<Error> bad_size(const std::string& field, std::uint64_t least, std::uint64_t most,
                                std::uint64_t given) {
  return fail_invalid(field, field + " must be between " + format_size(least) + " and " +
                                 format_size(most) + ", not " + format_size(given) +
                                 (given < least ? "; a unit such as M may be missing" : ""));
}

}  // namespace

Result<> validate_limits(const ResourceLimits& limits) {
  if (!is_within(limits.memory_bytes, limits::kMemoryBytesMin, limits::kMemoryBytesMax)) {
    return bad_size("limits.memory", limits::kMemoryBytesMin, limits::kMemoryBytesMax,
                    limits.memory_bytes);
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
    return bad_size("limits.output", limits::kOutputLimitMin, limits::kOutputLimitMax,
                    limits.output_bytes);
  }
  if (limits.output_ends != 0 && limits.output_bytes == 0) {
    return fail_invalid("limits.on_output",
                        "limits.on_output needs limits.output; set the maximum size of the output");
  }
  return {};
}

}  // namespace drover::run
