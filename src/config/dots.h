// Dots outside of text and comments: those of a TOML file's keys. toml++ 3.3 makes a table in a
// table of each and takes them apart by recursion, so that a file of nothing but dots would end the
// whole process. They are counted before it sees them. Pure.
#pragma once

#include <string_view>

namespace drover::config {

// Exact for well-formed TOML, and up to the first mistake of any other.
size_t dots_outside_text(std::string_view toml);

}  // namespace drover::config
