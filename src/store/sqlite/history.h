// The migrations of the core's tables, in the order of their release. A released migration is
// never edited, only followed by another. So this file contains names that are no longer used
// elsewhere.
#pragma once

#include <span>
#include <string_view>

namespace drover::store::sqlite {

// Migration n, counted from 1, leads from version n - 1 to n.
std::span<const std::string_view> migrations();

}  // namespace drover::store::sqlite
