// Local times are the readings of a wall clock, as seconds since it showed 1970-01-01T00:00:00.
// They have no zone and no daylight saving: every day has 86,400 of them. Pure.
//
// These functions find and count the local times that a Cron names. Days are searched one by one
// and months are skipped whole, so a search over 41 years takes about 50 microseconds.
#pragma once

#include <cstdint>
#include <optional>

#include "triggers/time/cron.h"

namespace drover::triggers {

using LocalS = std::int64_t;

// The first local time of the cron at or after `from`; nullopt if the next 41 years have none.
std::optional<LocalS> next_local(const Cron& cron, LocalS from);

// How many local times of the cron lie from `first` to `last`, both included.
std::int64_t count_local(const Cron& cron, LocalS first, LocalS last);

}  // namespace drover::triggers
