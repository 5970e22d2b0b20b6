// The note in the file of a probe run (dispatch/readiness): it has no record, on purpose. A file
// with this note that a dead daemon left is removed, not taken up.
#pragma once

#include <string_view>

namespace drover {

inline constexpr std::string_view kProbeNote = R"({"probe":true})";

}  // namespace drover
