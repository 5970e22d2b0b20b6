// Sizes as people write them: a number of bytes, or a number with K, M, G or T. Each of these is
// 1024 times the one before it, however it is spelled: 2G, 2GB and 2GiB are the same size.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace drover {

// "512M", "1.5GB", "512MiB", "1073741824". A part of a byte is rounded down. Small letters and
// blanks are errors: "512 Mb" may mean three things.
Result<std::uint64_t> parse_size(std::string_view text, std::string_view param);

// With the largest unit that is exact: 536870912 is "512M", 1000 is "1000".
std::string format_size(std::uint64_t bytes);

}  // namespace drover
