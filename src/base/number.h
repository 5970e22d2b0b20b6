// Parses numbers as people type them.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace drover {

// The whole of `text` as a number; a sign is allowed, nothing else is.
inline std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, bad] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (bad != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace drover
