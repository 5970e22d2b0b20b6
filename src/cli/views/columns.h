// Text in terminal columns: measures, cuts, cleans and wraps it. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace drover::cli {

// How many terminal columns the text takes. A control character counts as the '?' that `clean`
// replaces it with.
size_t columns(std::string_view text);

// Cuts the text to at most `width` columns; ends in "…" if anything was cut.
std::string cut(std::string_view text, size_t width);

// Makes the text one line that cannot control the terminal: replaces control characters, direction
// marks and invalid UTF-8.
std::string clean(std::string_view text);

// Breaks the text between words into lines of at most `width` columns; a longer word has its own
// line.
std::vector<std::string> wrap(std::string_view text, size_t width);
// The same, but also breaks words that are longer than a line.
std::vector<std::string> fold(std::string_view text, size_t width);

}  // namespace drover::cli
