// The migrations of the foundations' tables, in the order in which they were released. They are
// history: one that was released is never edited, only followed by another. So this file still says
// names that nothing else here knows.
#pragma once

#include <span>
#include <string_view>

namespace drover::store::sqlite {

// Migration n leads from version n to n + 1.
std::span<const std::string_view> migrations();

}  // namespace drover::store::sqlite
