// The tokens of well-known services, recognized by how they begin. The table is in the .cc file.
#pragma once

#include <string_view>

namespace drover::run {

// Where in `word` a token begins, before `end`; npos: nowhere. The token extends to the end of the
// word. A word consists of letters, digits, '_', '-' and '.'.
size_t token_in(std::string_view word, size_t end);

}  // namespace drover::run
