// Text in the columns of a terminal: how wide it is, and how it is cut, cleaned and folded. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace drover::cli {

// How many columns of a terminal the text takes. Control characters count as the '?' that `clean`
// makes of them.
size_t columns(std::string_view text);

// At most `width` columns, ending in "…" if anything was cut.
std::string cut(std::string_view text, size_t width);

// One line that neither moves the cursor nor turns around: control characters, marks that change
// the direction of what follows them, and broken UTF-8 are replaced.
std::string clean(std::string_view text);

// Lines of at most `width` columns, parted between words; a longer word has a line of its own.
std::vector<std::string> wrap(std::string_view text, size_t width);
// The same, and a longer word is broken.
std::vector<std::string> fold(std::string_view text, size_t width);

}  // namespace drover::cli
