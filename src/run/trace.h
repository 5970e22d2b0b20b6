// A trace groups the work of several programs, by W3C's trace context. A submission may name the
// trace that the run belongs to; otherwise the run begins its own.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace drover::run {

// The trace that a `traceparent` names: "00-<32 hex digits>-<16>-<2>". A malformed one names none,
// as the standard requires: a broken tracer must not stop anybody's work.
std::optional<std::string> trace_named_by(std::string_view traceparent);

}  // namespace drover::run
