// A packed scope is a scope in which each run's id has 20 bytes instead of 31. A run that another
// run started is in the scope `…/run_<id>`, one for each level, and its row of evidence stays
// forever. Pure.
//
// Each part `/run_<id>` is a byte 1, then the 26 digits of the id as a number of 19 digits of base
// 127, each in one byte from 1 to 127. No other part of a scope contains a byte 1, so a scope
// that was stored unpacked reads as it is.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace drover::store::sqlite {

std::string packed_scope(std::string_view scope);

// Nothing: packed_scope never writes this.
std::optional<std::string> unpacked_scope(std::string_view packed);

}  // namespace drover::store::sqlite
