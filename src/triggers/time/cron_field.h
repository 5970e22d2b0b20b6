// A CronField is one column of a cron expression: "*/5", "1-5,20", "mon-fri". Pure.
//
//   field   = element ("," element)*
//   element = range ["/" step] | "L" (day of month) | weekday "L" | "L" weekday (day of week)
//   range   = "*" | "?" | value ["-" value]
//
// `?` is another way to write `*`. A single value with a step means up to the end of the column, as
// in croniter: 5/20 in the minutes is 5, 25, 45. Numbers may have leading zeros; names are three
// English letters in any case.
#pragma once

#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>

namespace drover::triggers {

struct CronField {
  enum class Last { none, day_of_month, weekday };  // The form of `L` that the column has.

  std::string_view name;
  int min = 0;
  int max = 0;
  int end = 0;                              // Where `*` ends: 6 for weekdays, since 7 is 0 again.
  std::span<const std::string_view> names;  // The first one is `min`. Empty: numbers only.
  Last last = Last::none;
};

struct CronValues {
  std::uint64_t values = 0;  // Bit n is value n. Weekday 7 is bit 0.
  std::uint64_t last = 0;    // `L`: bit 0. A weekday with `L`: the bit of the weekday.
  bool has_star = false;     // The field begins with `*`, which includes `*/5`.
};

// The error is a sentence without a period that names the field, its bounds and the fix.
std::expected<CronValues, std::string> parse_cron_field(const CronField& field,
                                                        std::string_view text);

}  // namespace drover::triggers
