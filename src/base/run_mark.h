// The environment variable with the id of the run; all processes of a run inherit it.
#pragma once

namespace drover {

inline constexpr const char* kRunVariable = "DROVER_RUN_ID";

}  // namespace drover
