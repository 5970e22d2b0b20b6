// Sizes as people write them: a whole number of bytes, or a number with K, M, G or T (times 1024).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace drover {

// "512M", "512MiB", "1073741824". Nothing else is valid: "512 Mb" could mean three things.
Result<std::uint64_t> parse_size(std::string_view text, std::string_view param);

// With the largest unit that is exact: 536870912 is "512M", 1000 is "1000".
std::string format_size(std::uint64_t bytes);

}  // namespace drover
