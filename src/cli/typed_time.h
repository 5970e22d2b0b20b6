// Parses times as people type them. Pure, except for the local time zone.
//
//   2026-11-18T03:00:00Z    RFC 3339, as --json prints times
//   2026-11-18 03:00[:00]   local time, as tables print it
//   03:00[:00]              local time, of the nearest day on the wanted side of now
#pragma once

#include <cstdint>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"

namespace drover::cli {

enum class Side : std::uint8_t { past, future };  // "03:00": the latest one, or the next one.

// `param` names the option for the error.
Result<WallMs> parse_typed_time(std::string_view text, std::string_view param, WallMs now,
                                Side side);

}  // namespace drover::cli
