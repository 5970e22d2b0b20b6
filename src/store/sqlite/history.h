// The migrations of the foundations' tables, in the order in which they were released. They are
// history: one that was released is never edited, only followed by another. So this file still says
// names that nothing else here knows.
#pragma once

#include <span>
#include <string_view>

namespace drover::store::sqlite {

// Migration n, counted from 1, leads from version n - 1 to n.
std::span<const std::string_view> migrations();

}  // namespace drover::store::sqlite
