// The W3C trace that this program was started in, from TRACEPARENT. Runs that it starts continue
// the trace, so that a nested run has the same trace as the run around it.
#pragma once

#include <string>

namespace drover::cli {

// Empty: there is none, or nothing that could be in a header.
std::string own_traceparent();

}  // namespace drover::cli
