// Numbers and times as people write them. Pure, except for the local time zone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace drover::cli {

std::string say_age(std::int64_t ms);       // "now", "12s", "5m", "3h", "2d".
std::string say_duration(std::int64_t ms);  // "85ms", "1.2s", "3m12s", "2h05m", "3d04h".
std::string say_elapsed(std::int64_t ms);   // The same in whole seconds: "3s", "3m12s".
// "3d ago", "now", "in 5m12s": how far from now.
std::string say_distance(WallMs time, WallMs now);
std::string say_bytes(std::int64_t bytes);  // "512 B", "1.4 kB", "2.0 GB".
std::string say_signal(int number);         // "TERM"; the number if it has no name.
std::string say_number(std::uint64_t n);    // "1,200".
std::string say_count(std::int64_t n, std::string_view one, std::string_view many);

// Parses "2026-11-15T09:58:25.123Z" to milliseconds.
std::optional<WallMs> parse_rfc3339(std::string_view text);
// "2026-11-15 10:58:25" in local time; optionally with milliseconds.
std::string say_local(WallMs time, bool with_ms = false);

}  // namespace drover::cli
