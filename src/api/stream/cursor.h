// A Cursor is the position of a follower: the number of the last event it has read and, in a run's
// own stream, how many bytes of output. "17" or "17.4096"; clients treat it as opaque.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace drover::api {

struct Cursor {
  std::int64_t seq = 0;
  std::uint64_t offset = 0;
};

Result<Cursor> parse_cursor(std::string_view text, std::string_view param);

std::string text_of(std::int64_t seq);
std::string text_of(const Cursor& cursor);

}  // namespace drover::api
