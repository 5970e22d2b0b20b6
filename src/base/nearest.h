// Typing errors: which known name a person probably meant. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace drover {

// The name in `known` of which `typed` is probably a typing error; empty: none.
std::string nearest(std::string_view typed, std::span<const std::string> known);

}  // namespace drover
