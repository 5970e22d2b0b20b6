// The calendar turns the local times of a Cron into instants of a zone. Pure.
//
// Daylight saving follows vixie cron, without its limit of three hours, for every change of a
// zone's offset:
//   A cron with fixed times (neither its minute nor its hour begins with `*`) runs once for each
//     local time, at the first instant at which the zone's clock shows this time or a later one. So
//     times that a forward jump skips run once, together, right after it; a time that the clock
//     shows twice runs on the first pass. "30 2 * * *" runs every day, once.
//   A wildcard cron (its minute or its hour begins with `*`, so also `*/5`) runs at every instant
//     at which the clock shows a matching time: not in a gap, twice in a repeat. "*/30 * * * *"
//     runs every half hour of real time.
// The second field does not count: "*/10 30 2 * * *" has fixed times.
#pragma once

#include <cstdint>
#include <optional>

#include "base/clock.h"
#include "triggers/time/cron.h"
#include "triggers/time/zone.h"

namespace drover::triggers {

// The first time after `after` (strictly later, from 1970 on). nullopt if the next 41 years have
// none ("0 0 30 2 *"), or none before 2200.
std::optional<WallMs> next_time(const Cron& cron, const Zone& zone, WallMs after);

// How many times lie from `first` to `last`, both included. It does not walk through them: a cron
// of every second over a year costs some microseconds.
std::int64_t count_times(const Cron& cron, const Zone& zone, WallMs first, WallMs last);

}  // namespace drover::triggers
