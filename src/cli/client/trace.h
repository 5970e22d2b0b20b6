// The trace that this program works for: what TRACEPARENT says, as a header. Runs that are started
// from here go on with it, so that a nested one is told together with the one around it.
#pragma once

#include <string>

namespace drover::cli {

// Empty: there is none, or nothing that could be in a header.
std::string own_traceparent();

}  // namespace drover::cli
