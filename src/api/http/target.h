// The target of a request, parsed and decoded: /api/runs/run_1?wait=30s.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace drover::api {

using Query = std::vector<std::pair<std::string, std::string>>;

// The host and port of an absolute target, http://host:1/path. Empty: it is a path.
std::optional<std::string_view> authority_of(std::string_view target);
std::string_view path_of(std::string_view target);
// The pairs in order. An invalid escape is refused; the error names the parameter.
Result<Query> query_of(std::string_view target);

// %41 becomes A. Empty: an escape is invalid. In a query, + stands for a space.
std::optional<std::string> decode(std::string_view text, bool plus_is_space);

// Readers of one parameter. It may be absent; a repeated or an invalid one is refused.
Result<std::optional<std::string>> text_in(const Query& query, std::string_view name);
Result<bool> flag_in(const Query& query, std::string_view name);
Result<std::optional<std::uint64_t>> number_in(const Query& query, std::string_view name,
                                               std::uint64_t least, std::uint64_t most);

}  // namespace drover::api
