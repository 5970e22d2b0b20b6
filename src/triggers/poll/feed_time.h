// The times in feeds: RFC 822 in RSS ("Wed, 18 Nov 2026 14:13:08 +0100"), RFC 3339 in Atom and
// Dublin Core ("2026-11-18T14:13:08+01:00"). Publishers deviate, so this reads best effort:
// two-digit years, names of zones, dates without a time. An unknown zone counts as UTC. Pure.
#pragma once

#include <optional>
#include <string_view>

#include "base/clock.h"

namespace drover::triggers {

// Nothing if it is neither. Times before 1970 become 1970.
std::optional<WallMs> parse_feed_time(std::string_view text);

}  // namespace drover::triggers
