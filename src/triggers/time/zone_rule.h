// A ZoneRule is the yearly daylight-saving rule of a zone in the POSIX form that tz database files
// end with: "CET-1CEST,M3.5.0,M10.5.0/3". Pure.
//
// The date library reads the changes that such a file lists, up to 2037 at the latest, and ignores
// the rule. Without it every zone would stay in its last offset from then on, and on systems whose
// files list only the past ("slim" files) already today.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "triggers/time/offsets.h"

namespace drover::triggers {

struct ZoneRule {
  struct Day {
    enum class Form { weekday_of_month, day_without_leap, day_of_year };
    Form form = Form::weekday_of_month;
    int month = 0;   // weekday_of_month: 1-12.
    int week = 0;    // 1-5; 5 is the last one of the month.
    int day = 0;     // A weekday (0 is Sunday), or a day of the year.
    int time_s = 0;  // Since the local midnight of this day; may be negative or beyond the day.
  };

  std::int64_t standard_s = 0;  // The offset in winter.
  std::int64_t daylight_s = 0;
  Day begin;  // Of daylight saving, on the clock in standard time.
  Day end;    // On the clock in daylight time.

  // The two changes of `year`, in order.
  std::array<OffsetChange, 2> changes(int year) const;
};

// nullopt for a rule without daylight saving, and for text that is not a rule.
std::optional<ZoneRule> parse_zone_rule(std::string_view text);

}  // namespace drover::triggers
