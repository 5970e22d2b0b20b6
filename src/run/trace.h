// A trace is what several programs' work is told together by: W3C's trace context. Whoever starts a
// run may name the trace that it goes on; otherwise the run begins one of its own.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace drover::run {

// The trace that a `traceparent` names: "00-<32 hex digits>-<16>-<2>". What is malformed names
// none, as the standard has it: a broken tracer must not keep anybody from working.
std::optional<std::string> trace_named_by(std::string_view traceparent);

}  // namespace drover::run
