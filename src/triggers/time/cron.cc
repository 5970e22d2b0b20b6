#include "triggers/time/cron.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <vector>

#include "base/text.h"
#include "triggers/time/cron_field.h"
#include "triggers/time/limits.h"

namespace drover::triggers {
namespace {

constexpr auto kMonths = std::to_array<std::string_view>(
    {"JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"});
constexpr auto kWeekdays =
    std::to_array<std::string_view>({"SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"});

const auto kFields = std::to_array<CronField>({
    {.name = "second", .min = 0, .max = 59, .end = 59, .names = {}},
    {.name = "minute", .min = 0, .max = 59, .end = 59, .names = {}},
    {.name = "hour", .min = 0, .max = 23, .end = 23, .names = {}},
    {.name = "day of month",
     .min = 1,
     .max = 31,
     .end = 31,
     .names = {},
     .last = CronField::Last::day_of_month},
    {.name = "month", .min = 1, .max = 12, .end = 12, .names = kMonths},
    {.name = "day of week",
     .min = 0,
     .max = 7,
     .end = 6,
     .names = kWeekdays,
     .last = CronField::Last::weekday},
});
enum Column : size_t { second, minute, hour, day, month, weekday };

struct Nickname {
  std::string_view name;
  std::string_view fields;
};
constexpr auto kNicknames = std::to_array<Nickname>({
    {"@yearly", "0 0 1 1 *"},
    {"@annually", "0 0 1 1 *"},
    {"@monthly", "0 0 1 * *"},
    {"@weekly", "0 0 * * 0"},
    {"@daily", "0 0 * * *"},
    {"@midnight", "0 0 * * *"},
    {"@hourly", "0 * * * *"},
});

std::unexpected<Error> refuse(std::string_view text, const std::string& why) {
  return fail(ErrorCode::invalid, "invalid_cron",
              "invalid cron \"" + bounded(text, 80) + "\": " + why, "cron");
}

std::vector<std::string_view> columns_of(std::string_view text) {
  constexpr std::string_view kBlanks = " \t";
  std::vector<std::string_view> out;
  while (true) {
    const size_t begin = text.find_first_not_of(kBlanks);
    if (begin == std::string_view::npos) return out;
    text.remove_prefix(begin);
    const size_t length = std::min(text.size(), text.find_first_of(kBlanks));
    out.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
}

Result<Cron> parse_nickname(std::string_view text, std::string_view word) {
  std::string lower(word);
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const Nickname& nickname : kNicknames) {
    if (lower == nickname.name) return parse_cron(nickname.fields);
  }
  if (lower == "@reboot") {
    return refuse(text,
                  "@reboot is not a time; start the command with a systemd unit that runs at boot, "
                  "or use a time such as @daily");
  }
  return refuse(text,
                "use @yearly, @annually, @monthly, @weekly, @daily, @midnight, @hourly or an "
                "interval such as @every 30m");
}

}  // namespace

Result<Cron> parse_cron(std::string_view text) {
  if (text.size() > kCronBytesMax) {
    return refuse(text, "it is longer than " + std::to_string(kCronBytesMax) + " bytes");
  }
  std::vector<std::string_view> columns = columns_of(text);
  if (!columns.empty() && columns.front().starts_with('@')) {
    if (columns.size() == 1) return parse_nickname(text, columns.front());
    return refuse(text, "nothing may follow " + bounded(columns.front(), 20));
  }
  if (columns.size() == 5) columns.insert(columns.begin(), "0");
  if (columns.size() != kFields.size()) {
    return refuse(text, "it has " + std::to_string(columns.size()) +
                            (columns.size() == 1 ? " field" : " fields") +
                            "; write 5 (minute, hour, day of month, month, day of week), or "
                            "6 with the second first");
  }
  std::array<CronValues, kFields.size()> values;
  for (size_t i = 0; i < kFields.size(); ++i) {
    auto parsed = parse_cron_field(kFields[i], columns[i]);
    if (!parsed) return refuse(text, parsed.error());
    values[i] = *parsed;
  }
  return Cron{.seconds = values[second].values,
              .minutes = values[minute].values,
              .hours = values[hour].values,
              .days = values[day].values,
              .months = values[month].values,
              .weekdays = values[weekday].values,
              .last_weekdays = values[weekday].last,
              .last_day = values[day].last != 0,
              .all_of_days = values[day].has_star || values[weekday].has_star,
              .is_wildcard = values[minute].has_star || values[hour].has_star};
}

}  // namespace drover::triggers
