// A ByteRange is the content of a Range header: bytes=0-99, bytes=100-, bytes=-100. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"

namespace drover::api {

struct ByteRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;  // Inclusive.
};

// The range of something that is `size` bytes long. Empty: no header, or one that may be ignored
// (another unit, several ranges), so the answer is everything. A range beyond the end: 416.
Result<std::optional<ByteRange>> byte_range(std::string_view header, std::uint64_t size);

}  // namespace drover::api
