// A zone file is a TZif file of the tz database (RFC 8536, version 2 or later): the changes of the
// offset that it lists, and a last line with the rule for later ones (zone_rule.h). Pure.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "triggers/time/offsets.h"

namespace drover::triggers {

// The offset that is in force in 1970, and the changes after it. Nothing: the file is damaged, or
// only has the 32-bit times of version 1.
std::optional<std::vector<OffsetChange>> listed_changes(std::string_view file);

}  // namespace drover::triggers
