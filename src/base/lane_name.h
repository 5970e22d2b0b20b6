// The names of lanes, for the API that checks requests and for the settings that may contain one.
#pragma once

#include <algorithm>
#include <cctype>
#include <string_view>

#include "base/limits.h"

namespace drover {

inline constexpr std::string_view kLaneNameRule = "1 to 64 letters, digits, '_', '-' or '.'";

// A character of a lane's name. The names of labels and the parts of scopes use the same ones.
inline bool is_name_char(char c) {
  return (std::isalnum(static_cast<unsigned char>(c)) != 0) || c == '_' || c == '-' || c == '.';
}

inline bool is_lane_name(std::string_view lane) {
  return !lane.empty() && lane.size() <= limits::kLaneBytesMax &&
         std::ranges::all_of(lane, is_name_char);
}

}  // namespace drover
