// Checks files that declare triggers without a daemon, for `drover trigger validate`. It does not
// know which triggers exist.
#pragma once

#include <boost/json/object.hpp>
#include <string_view>

#include "base/result.h"

namespace drover::triggers {

// `paths` is a JSON list of absolute paths. {"files": [{"file", "triggers": N, "problems": […]}]}
Result<boost::json::object> check_files(std::string_view paths);

}  // namespace drover::triggers
