// The path and query of an operation's request. Built from the list of operations, so that the
// client can only send requests that the daemon knows. Pure.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "wire/operation.h"

namespace drover::cli {

using Pairs = std::vector<std::pair<std::string, std::string>>;

// Percent-encodes `text` for use as one path segment. Ids, prefixes of ids and @last stay
// unchanged.
std::string path_segment(std::string_view text);
std::string query_value(std::string_view text);

// `segment` fills the {…} of the path. An empty one is not_found: no run or lane has an empty name.
// Asserts that the operation lists every query parameter.
Result<std::string> address(const wire::Operation& operation, std::string_view segment,
                            const Pairs& query);

}  // namespace drover::cli
