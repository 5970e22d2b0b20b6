// Clock is the seam to time. Deadlines of a run's own live in its keeper and use the kernel's
// clock; everything in the daemon asks this one, so that tests can turn it by hand.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace drover {

using WallMs = std::int64_t;  // Milliseconds since 1970, UTC. What people and schedules mean.
using MonoNs = std::int64_t;  // CLOCK_MONOTONIC: only for comparing within one boot.

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

// The kernel's monotonic clock in milliseconds, for who has no seam: the command line.
std::int64_t mono_ms();

// "2026-11-15T09:58:25.123Z": RFC 3339, UTC, milliseconds.
std::string rfc3339(WallMs time);

// The same way back; also without milliseconds, and with another offset than Z.
Result<WallMs> parse_time(std::string_view text, std::string_view param);

// Durations are a whole number and a unit: "250ms", "10s", "5m", "2h", "1d". Nothing else.
Result<std::int64_t> parse_duration_ms(std::string_view text, std::string_view param);

// The same way back, with the largest unit that loses nothing: 90000 is "90s", 120000 is "2m".
std::string format_duration(std::int64_t ms);

}  // namespace drover
