#include "api/stream/cursor.h"

#include <charconv>

namespace drover::api {

Result<Cursor> parse_cursor(std::string_view text, std::string_view param) {
  Cursor cursor;
  const char* end = text.data() + text.size();
  auto [at, bad] = std::from_chars(text.data(), end, cursor.seq);
  bool fits = bad == std::errc{} && cursor.seq >= 0;
  if (fits && at != end && *at == '.') {
    const auto offset = std::from_chars(at + 1, end, cursor.offset);
    fits = offset.ec == std::errc{};
    at = offset.ptr;
  }
  if (!fits || at != end) {
    return fail_invalid(std::string(param),
                        "invalid cursor: send a cursor from an answer of Drover");
  }
  return cursor;
}

std::string text_of(std::int64_t seq) {
  return std::to_string(seq);
}

std::string text_of(const Cursor& cursor) {
  return std::to_string(cursor.seq) + "." + std::to_string(cursor.offset);
}

}  // namespace drover::api
