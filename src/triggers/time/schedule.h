// A Schedule says when a trigger is due: at the times of a cron, at an interval, or once. Its times
// are its *due times*. Pure: the caller passes the current time.
//
// Values: copy them freely; any thread may read them. Constructors refuse invalid text with the
// name of the parameter ("cron", "tz", "every", "at").
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "triggers/time/cron.h"
#include "triggers/time/zone.h"

namespace drover::triggers {

// The due times are anchor + k × interval for k = 1, 2, 3 …: the first one is an interval after the
// anchor, and a restart of the daemon moves none of them.
struct Every {
  std::int64_t interval_ms = 0;
  WallMs anchor = 0;

  bool operator==(const Every&) const = default;
};

struct OneTime {
  WallMs at = 0;

  bool operator==(const OneTime&) const = default;
};

struct CronSchedule {
  std::string text;  // As the user wrote it.
  Zone zone;
  Cron cron;

  bool operator==(const CronSchedule&) const = default;
};

using Schedule = std::variant<CronSchedule, Every, OneTime>;

// A cron expression in a zone (empty: UTC). "@every 30m" makes an Every with this anchor; the zone
// must be valid and has no effect then.
Result<Schedule> cron_schedule(std::string_view text, std::string_view zone, WallMs anchor);

// "10m", "1h30m": from 10 s to 366 days.
Result<Schedule> every_schedule(std::string_view interval, WallMs anchor);
Result<Schedule> every_schedule(std::int64_t interval_ms, WallMs anchor);

Result<Schedule> once_schedule(WallMs at);

// The schedule itself, or a refusal (`no_future_time`) if it has no due time after `now`.
Result<Schedule> checked_for_future(Schedule schedule, WallMs now);

// The first due time after `after` (strictly later); nullopt if there are none before 2200.
std::optional<WallMs> next_after(const Schedule& schedule, WallMs after);

// How many due times lie from `first` to `last`, both included. The cost does not grow with the
// number.
std::int64_t count_due_times(const Schedule& schedule, WallMs first, WallMs last);

// The due time from which on `n` (at least 1) due times lie up to `last`; nullopt if there are
// fewer from `first` on. With n = 1: the latest due time.
std::optional<WallMs> nth_latest(const Schedule& schedule, WallMs first, WallMs last,
                                 std::int64_t n);

// The first `n` due times after `after`, at most 1,000.
std::vector<WallMs> preview(const Schedule& schedule, WallMs after, size_t n);

// For people: "0 3 * * * (Europe/Berlin)", "every 10m", "once at 2026-11-15T09:58:25.000Z".
std::string describe(const Schedule& schedule);

}  // namespace drover::triggers
