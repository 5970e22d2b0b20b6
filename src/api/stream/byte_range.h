// A ByteRange is what a Range header asks for: bytes=0-99, bytes=100-, bytes=-100. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"

namespace drover::api {

struct ByteRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;  // That one too.
};

// Of something that is `size` bytes long. Nothing: none is asked for, or not in a way that has to
// be understood (another unit, several ranges): then all of it is answered. Beyond the end: 416.
Result<std::optional<ByteRange>> byte_range(std::string_view header, std::uint64_t size);

}  // namespace drover::api
