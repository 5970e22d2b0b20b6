// What stands outside of the text and the comments of a TOML file: keys, mostly. It is looked at
// before toml++ 3.3 sees it, for two things that it does not survive: of a key's dots each becomes
// a table in a table, which are taken apart by recursion; and a character that is not ASCII, which
// may not stand there anyway, leads it to a place that it tells the compiler is never reached.
// Pure.
#pragma once

#include <optional>
#include <string_view>

namespace drover::config {

struct OutsideText {
  size_t dots = 0;                     // Of keys, wherever they stand; not of numbers and times.
  std::optional<size_t> foreign_line;  // The first, from 1, with a byte there that is not ASCII.
};

// Exact for well-formed TOML, and up to the first mistake of any other.
OutsideText look_outside_text(std::string_view toml);

}  // namespace drover::config
