// Clock is the interface to time. The daemon asks it for every time that it records or compares
// with a recorded one, so that tests can set the time by hand. Timers that are recorded nowhere use
// steady_clock. A run's own deadlines live in its keeper and use the kernel's clock.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace drover {

using WallMs = std::int64_t;  // Milliseconds since 1970, UTC. The time of people and schedules.
using MonoNs = std::int64_t;  // CLOCK_MONOTONIC: comparable only within one boot.

class Clock {
 public:
  virtual ~Clock() = default;
  virtual WallMs wall_ms() const = 0;
  virtual MonoNs mono_ns() const = 0;
};

class SystemClock final : public Clock {
 public:
  WallMs wall_ms() const override;
  MonoNs mono_ns() const override;
};

// The kernel's monotonic clock in milliseconds, for code without a Clock: the command line.
std::int64_t mono_ms();

// "2026-11-15T09:58:25.123Z": RFC 3339, UTC, milliseconds.
std::string rfc3339(WallMs time);

// The inverse of rfc3339. The milliseconds may be missing, and the offset may be another than Z.
Result<WallMs> parse_time(std::string_view text, std::string_view param);

// A duration is one or more numbers with a unit (ms, s, m, h, d), the largest unit first: "250ms",
// "10s", "1.5h", "1h30m". A number without a unit is an error: nobody agrees on what it means.
Result<std::int64_t> parse_duration_ms(std::string_view text, std::string_view param);

// The inverse, with the largest unit that is exact: 90000 is "90s", 120000 is "2m".
std::string format_duration(std::int64_t ms);

}  // namespace drover
