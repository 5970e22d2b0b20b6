#include "triggers/time/local_times.h"

#include <chrono>

#include "triggers/time/limits.h"

namespace drover::triggers {
namespace {

using std::chrono::days;
using std::chrono::months;
using std::chrono::sys_days;
using std::chrono::year_month;
using std::chrono::year_month_day;

constexpr std::int64_t kDayS = 86'400;

std::int64_t day_number(LocalS time) {
  return time >= 0 ? time / kDayS : -((-time + kDayS - 1) / kDayS);
}
year_month_day date_of(std::int64_t day) {
  return sys_days(days(day));
}
bool has_month(const Cron& cron, const year_month_day& date) {
  return cron.months[static_cast<unsigned>(date.month())];
}
// The first day of the month after this one.
std::int64_t month_after(const year_month_day& date) {
  const year_month following = year_month(date.year(), date.month()) + months(1);
  return sys_days(following / 1).time_since_epoch().count();
}

bool has_day(const Cron& cron, const year_month_day& date, std::int64_t day) {
  const std::int64_t left = month_after(date) - day;  // 1 on the last day of the month.
  const unsigned weekday = std::chrono::weekday(sys_days(days(day))).c_encoding();
  const bool by_day = cron.days[static_cast<unsigned>(date.day())] || (cron.last_day && left == 1);
  const bool by_weekday = cron.weekdays[weekday] || (cron.last_weekdays[weekday] && left <= 7);
  return cron.all_of_days ? by_day && by_weekday : by_day || by_weekday;
}

// The first set bit at or after `from`; N if there are none.
template <size_t N>
size_t bit_from(const std::bitset<N>& bits, size_t from) {
  while (from < N && !bits[from]) ++from;
  return from;
}
template <size_t N>
std::int64_t bits_below(const std::bitset<N>& bits, size_t end) {
  return static_cast<std::int64_t>((bits & ~(~std::bitset<N>() << end)).count());
}

struct TimeOfDay {
  size_t hour, minute, second;
};
TimeOfDay split(std::int64_t seconds) {
  const auto s = static_cast<size_t>(seconds);
  return {s / 3'600, s / 60 % 60, s % 60};
}

// The first time of the cron in a day at or after `from`, which is a second of that day.
std::optional<std::int64_t> next_in_day(const Cron& cron, std::int64_t from) {
  TimeOfDay t = split(from);
  // An overflow of one column moves the next larger one forward and starts this one at zero.
  if (!cron.hours[t.hour]) t = {bit_from(cron.hours, t.hour), 0, 0};
  if (t.hour < 24 && !cron.minutes[t.minute]) t = {t.hour, bit_from(cron.minutes, t.minute), 0};
  if (t.hour < 24 && t.minute < 60) t.second = bit_from(cron.seconds, t.second);
  if (t.second == 60) t = {t.hour, bit_from(cron.minutes, t.minute + 1), 0};
  if (t.minute == 60) t = {bit_from(cron.hours, t.hour + 1), 0, 0};
  if (t.hour >= 24) return std::nullopt;
  t.minute = bit_from(cron.minutes, t.minute);
  t.second = bit_from(cron.seconds, t.second);
  return static_cast<std::int64_t>(t.hour * 3'600 + t.minute * 60 + t.second);
}

// How many times of the cron lie in the first `seconds` of a day.
std::int64_t count_in_day(const Cron& cron, std::int64_t seconds) {
  const TimeOfDay t = split(seconds);
  const auto per_minute = static_cast<std::int64_t>(cron.seconds.count());
  const std::int64_t per_hour = static_cast<std::int64_t>(cron.minutes.count()) * per_minute;
  std::int64_t out = bits_below(cron.hours, t.hour) * per_hour;
  if (t.hour == 24 || !cron.hours[t.hour]) return out;
  out += bits_below(cron.minutes, t.minute) * per_minute;
  return out + (cron.minutes[t.minute] ? bits_below(cron.seconds, t.second) : 0);
}

}  // namespace

std::optional<LocalS> next_local(const Cron& cron, LocalS from) {
  std::int64_t day = day_number(from);
  const std::int64_t end = day + kYearsAheadMax * 366;
  std::int64_t second = from - day * kDayS;
  while (day < end) {
    const year_month_day date = date_of(day);
    if (!has_month(cron, date)) {
      day = month_after(date);
    } else {
      const auto found = has_day(cron, date, day) ? next_in_day(cron, second) : std::nullopt;
      if (found) return day * kDayS + *found;
      ++day;
    }
    second = 0;
  }
  return std::nullopt;
}

std::int64_t count_local(const Cron& cron, LocalS first, LocalS last) {
  if (first > last) return 0;
  const std::int64_t first_day = day_number(first);
  const std::int64_t last_day = day_number(last);
  const std::int64_t per_day = count_in_day(cron, kDayS);
  std::int64_t out = 0;
  for (std::int64_t day = first_day; day <= last_day;) {
    const year_month_day date = date_of(day);
    if (!has_month(cron, date)) {
      day = month_after(date);
      continue;
    }
    if (has_day(cron, date, day)) {
      out += day == last_day ? count_in_day(cron, last - day * kDayS + 1) : per_day;
      if (day == first_day) out -= count_in_day(cron, first - day * kDayS);
    }
    ++day;
  }
  return out;
}

}  // namespace drover::triggers
