// An address is the path and query of an operation's request. It is built from the lists of
// operations, so that the client can only make requests that the daemon knows. Pure.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "wire/operation.h"

namespace drover::cli {

using Pairs = std::vector<std::pair<std::string, std::string>>;

// As it may stand between two slashes: what cannot is percent-encoded. Ids, prefixes of ids and
// @last pass as they are.
std::string path_segment(std::string_view text);
std::string query_value(std::string_view text);

// `segment` fills the {…} of the path. An empty one is not_found: no run and no lane is called so.
// A query parameter that the operation does not list is a bug of ours and asserts.
Result<std::string> address(const wire::Operation& operation, std::string_view segment,
                            const Pairs& query);

}  // namespace drover::cli
