// The W3C trace in TRACEPARENT. Runs that this program starts continue the trace, so that a nested
// run has the same trace as the run around it.
#pragma once

#include <string>

namespace drover::cli {

// Empty: not set, or not valid in a header.
std::string own_traceparent();

}  // namespace drover::cli
