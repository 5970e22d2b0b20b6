// The target of a request, taken apart and decoded: /api/runs/run_1?wait=30s.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace drover::api {

using Query = std::vector<std::pair<std::string, std::string>>;

std::string_view path_of(std::string_view target);
// The pairs in order; a broken escape is refused, naming the parameter.
Result<Query> query_of(std::string_view target);

// %41 is A; nothing if an escape is broken. In a query + stands for a space.
std::optional<std::string> decode(std::string_view text, bool plus_is_space);

// Readers of one parameter. Absent is fine; given twice, or not what it should be, is not.
Result<std::optional<std::string>> text_in(const Query& query, std::string_view name);
Result<bool> flag_in(const Query& query, std::string_view name);
Result<std::optional<std::uint64_t>> number_in(const Query& query, std::string_view name,
                                               std::uint64_t least, std::uint64_t most);

}  // namespace drover::api
