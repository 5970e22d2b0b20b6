// The options that say when a trigger fires, as the field `source` of the API: which of them choose
// a source, which require another one, and which cannot be combined. Pure, except that a time such
// as 2h counts from now, and a path from the current directory.
#pragma once

#include <boost/json/object.hpp>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "cli/command.h"

namespace drover::cli {

// `before` is the type that the trigger has; empty: it is new. Options without a source belong to
// that one. Nothing: no such option is given.
Result<std::optional<boost::json::object>> source_of(const Arguments& arguments,
                                                     std::string_view before);

}  // namespace drover::cli
