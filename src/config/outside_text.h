// Outside text is the part of a TOML file that is neither text nor comment: mostly keys. It is
// checked before toml++ 3.3 parses it, because two things there would crash toml++: each dot of a
// key becomes a nested table, and nested tables are destroyed by recursion; and a character that is
// not ASCII, which TOML forbids there, reaches code that toml++ marks as unreachable. Pure.
#pragma once

#include <optional>
#include <string_view>

namespace drover::config {

struct OutsideText {
  size_t dots = 0;  // In keys, wherever they stand; not in numbers and times.
  // The first line, from 1, with a byte there that is not ASCII.
  std::optional<size_t> foreign_line;
};

// Exact for valid TOML; for other text, exact up to the first mistake.
OutsideText look_outside_text(std::string_view toml);

}  // namespace drover::config
