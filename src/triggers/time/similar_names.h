// Similar names: which known names a person may have meant with a mistyped one. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace drover::triggers {

// At most three of `known`, the most similar first, and only those about as similar as the first.
// Upper case, `_` and blanks do not count, and the last part of a name is compared too: "new york"
// finds "America/New_York".
std::vector<std::string> similar_names(std::string_view text, std::span<const std::string> known);

}  // namespace drover::triggers
