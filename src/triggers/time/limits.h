// The limits of schedules, each with its reason.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/clock.h"

namespace drover::triggers {

// The longest real cron expressions list every minute of an hour, about 170 bytes.
inline constexpr size_t kCronBytesMax = 256;
// The longest name in the tz database has 32 bytes.
inline constexpr size_t kZoneBytesMax = 64;
// The largest file in the tz database has 4 KiB.
inline constexpr size_t kZoneFileBytesMax = 65'536;

// Schedules know the times from 1970 up to this one: 2200-01-01T00:00:00Z. Later times are typing
// errors, and the list of a zone's changes needs an end.
inline constexpr std::int64_t kTimeEndS = 7'258'118'400;
inline constexpr WallMs kTimeEndMs = kTimeEndS * 1'000;
// How far ahead the search for a cron's next time looks. The rarest day, a given weekday that is
// February 29, returns after 40 years at the latest (around 2100, which is not a leap year).
inline constexpr int kYearsAheadMax = 41;

// An interval below 10 s is a loop, and a process that loops does it better than a trigger.
inline constexpr std::int64_t kEveryMinMs = 10'000;
// Longer intervals are typing errors: yearly work has a date, which cron expresses.
inline constexpr std::int64_t kEveryMaxMs = 366LL * 86'400'000;
// Nobody reads more times ahead; a preview of them takes about a millisecond.
inline constexpr size_t kPreviewMax = 1'000;

// A due time later than this was missed: the machine slept, or the daemon was down. A due time up
// to this late is on time: a busy daemon, or one that restarts, must not turn a night's work into a
// missed one.
inline constexpr std::int64_t kLateMs = 60'000;
// One decision lists at most this many due times, the latest; ranges with a count replace the older
// ones. It bounds the size of one commit, and the runs that `missed: all` starts at once.
inline constexpr std::int64_t kDueTimesListedMax = 1'000;
// Cron has at most one due time a second, so due times that are not listed are always late.
static_assert(kDueTimesListedMax * 1'000 > kLateMs);
// `missed: all` without a window: a weekend and a day.
inline constexpr std::int64_t kMissedWindowMs = 3LL * 86'400'000;
// A longer window is a typing error. The number of runs has its own limit, kDueTimesListedMax.
inline constexpr std::int64_t kMissedWindowMaxMs = 366LL * 86'400'000;
// Jitter spreads the load of one schedule; beyond a day it would be another schedule.
inline constexpr std::int64_t kJitterMaxMs = 86'400'000;

}  // namespace drover::triggers
