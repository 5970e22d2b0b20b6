// A Cron is a parsed cron expression: which seconds, minutes, hours and days of a wall clock it
// names. Pure values without a zone; triggers/time/calendar.h turns them into instants.
//
//   ┌ second (only with six fields) 0-59
//   │ ┌ minute 0-59
//   │ │ ┌ hour 0-23
//   │ │ │ ┌ day of month 1-31, L: the last one
//   │ │ │ │ ┌ month 1-12 or JAN-DEC
//   │ │ │ │ │ ┌ day of week 0-7 (0 and 7 are Sunday) or SUN-SAT, 5L: the last Friday
//   0 30 3 1 * MON
//
// The form of one field: triggers/time/cron_field.h. Instead of fields: @yearly, @annually,
// @monthly, @weekly, @daily, @midnight, @hourly. (`@every` is an interval, not a cron:
// triggers/time/schedule.h.)
//
// The two day fields follow vixie cron. If one of them begins with `*` (so also `*/2`), a day must
// match both; if neither does, it must match one of them: "0 0 13 * FRI" is every 13th and every
// Friday.
#pragma once

#include <bitset>
#include <string_view>

#include "base/result.h"

namespace drover::triggers {

struct Cron {
  std::bitset<60> seconds;
  std::bitset<60> minutes;
  std::bitset<24> hours;
  std::bitset<32> days;          // 1-31.
  std::bitset<13> months;        // 1-12.
  std::bitset<7> weekdays;       // 0 is Sunday.
  std::bitset<7> last_weekdays;  // The last such weekday of a month.
  bool last_day = false;         // The last day of a month.
  bool all_of_days = true;       // A day must match both day fields, not one of them.
  // The minute or the hour begins with `*`. Such a cron runs through every real hour; one with
  // fixed times runs each time of the wall clock once (triggers/time/calendar.h).
  bool is_wildcard = false;

  bool operator==(const Cron&) const = default;
};

// Refuses `text` as `invalid_cron` for the parameter "cron"; the message names the field, its
// bounds and the fix.
Result<Cron> parse_cron(std::string_view text);

}  // namespace drover::triggers
