// A hook path is the part of a webhook's URL after /hooks/: `deploy`, `team/deploy`. It consists of
// segments separated by single slashes; a segment has letters, digits, `-`, `_` and `.`. Two dots
// in a row, a segment of one dot, and a slash in front or at the end are refused, so that no proxy
// and no client rewrites a path into another. Paths are compared byte by byte, case included. Pure.
#pragma once

#include <string_view>

#include "base/result.h"

namespace drover::triggers {

// `param` names the field for the error. A path in a request that fails this check belongs to no
// hook; escapes such as %2F are not decoded.
Result<> check_hook_path(std::string_view path, std::string_view param);

}  // namespace drover::triggers
