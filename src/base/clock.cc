#include "base/clock.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <optional>

#include "base/decimal.h"
#include "base/limits.h"
#include "base/text.h"

namespace drover {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t ms;
};
constexpr auto kUnits = std::to_array<Unit>(
    {{"ms", 1}, {"s", 1000}, {"m", 60'000}, {"h", 3'600'000}, {"d", 86'400'000}});

// The unit that `text` begins with. "m" must not take the first letter of "ms".
const Unit* take_unit(std::string_view& text) {
  for (const Unit& unit : kUnits) {
    if (!text.starts_with(unit.name)) continue;
    text.remove_prefix(unit.name.size());
    return &unit;
  }
  return nullptr;
}

std::int64_t now_ns(clockid_t id) {
  timespec t{};
  clock_gettime(id, &t);
  return static_cast<std::int64_t>(t.tv_sec) * 1'000'000'000 + t.tv_nsec;
}

}  // namespace

WallMs SystemClock::wall_ms() const {
  return now_ns(CLOCK_REALTIME) / 1'000'000;
}
MonoNs SystemClock::mono_ns() const {
  return now_ns(CLOCK_MONOTONIC);
}

std::int64_t mono_ms() {
  return SystemClock{}.mono_ns() / 1'000'000;
}

std::string rfc3339(WallMs time) {
  auto seconds = static_cast<std::time_t>(time / 1000);
  auto ms = static_cast<int>(time % 1000);
  if (ms < 0) {
    ms += 1000;
    --seconds;
  }
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  std::array<char, 64> text{};
  const int n = std::snprintf(text.data(), text.size(), "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ",
                              utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday, utc.tm_hour,
                              utc.tm_min, utc.tm_sec, ms);
  return {text.data(), static_cast<size_t>(n)};
}

Result<std::int64_t> parse_duration_ms(std::string_view text, std::string_view param) {
  const auto invalid = [&](const std::string& fix) {
    return fail_invalid(std::string(param),
                        "invalid duration \"" + bounded(text, 40) + "\": " + fix);
  };
  std::uint64_t total = 0;
  const Unit* smaller_than = nullptr;
  std::string_view rest = text;
  do {
    const std::string_view part = rest;
    const std::optional<Decimal> number = take_decimal(rest);
    if (number && rest.empty()) {
      const std::string digits(part);
      return invalid("add a unit, such as " + digits + "s or " + digits + "m");
    }
    const Unit* unit = number ? take_unit(rest) : nullptr;
    if (unit == nullptr) {
      return invalid("write a number and a unit (ms, s, m, h, d), such as 10s or 1h30m");
    }
    if (smaller_than != nullptr && unit->ms >= smaller_than->ms) {
      return invalid("write each unit once, the largest first, such as 1h30m10s");
    }
    smaller_than = unit;
    const auto one = static_cast<std::uint64_t>(unit->ms);
    if (!number->is_whole_in(one)) return invalid("use whole milliseconds, such as 10s or 15ms");
    const std::optional<std::uint64_t> ms = number->times(one);
    if (!ms || *ms > limits::kDurationMaxMs - total) {
      return fail_invalid(std::string(param), "the duration is too long: the maximum is " +
                                                  format_duration(limits::kDurationMaxMs));
    }
    total += *ms;
  } while (!rest.empty());
  return static_cast<std::int64_t>(total);
}

std::string format_duration(std::int64_t ms) {
  const Unit* best = &kUnits.front();
  for (const Unit& unit : kUnits) {
    if (ms != 0 && ms % unit.ms == 0) best = &unit;
  }
  return std::to_string(ms / best->ms) + std::string(best->name);
}

Result<WallMs> parse_time(std::string_view given, std::string_view param) {
  const auto wrong = [&] {
    return fail_invalid(
        std::string(param),
        std::string(param) +
            " must be a time such as 2026-11-15T09:58:25Z, or a duration before now, such as 2h");
  };
  // sscanf would also accept blanks and signs.
  const auto looks_like = [](std::string_view text, std::string_view form) {
    return text.size() >= form.size() &&
           std::equal(form.begin(), form.end(), text.begin(),
                      [](char f, char c) { return f == '0' ? c >= '0' && c <= '9' : f == c; });
  };
  if (!looks_like(given, "0000-00-00T00:00:00")) return wrong();
  const std::string text(given.substr(0, 64));
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, end = 0;
  if (std::sscanf(text.c_str(), "%4d-%2d-%2dT%2d:%2d:%2d%n", &year, &month, &day, &hour, &minute,
                  &second, &end) != 6) {
    return wrong();
  }
  std::string_view rest = given.substr(static_cast<size_t>(end));
  WallMs ms = 0;
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    size_t digits = 0;
    for (; digits < rest.size() && rest[digits] >= '0' && rest[digits] <= '9'; ++digits) {
      if (digits < 3) ms = ms * 10 + (rest[digits] - '0');
    }
    if (digits == 0) return wrong();
    for (size_t i = digits; i < 3; ++i) ms *= 10;
    rest.remove_prefix(digits);
  }
  int offset = 0;  // In minutes.
  if (rest != "Z") {
    int hours = 0, minutes = 0, used = 0;
    const std::string zone(rest.substr(0, 8));
    if (zone.size() != 6 || !looks_like(std::string_view(zone).substr(1), "00:00") ||
        (zone[0] != '+' && zone[0] != '-') ||
        std::sscanf(zone.c_str() + 1, "%2d:%2d%n", &hours, &minutes, &used) != 2 || used != 5 ||
        rest.size() != 6 || hours > 23 || minutes > 59) {
      return wrong();
    }
    offset = (zone[0] == '-' ? -1 : 1) * (hours * 60 + minutes);
  }
  using namespace std::chrono;
  const year_month_day date{std::chrono::year(year),
                            std::chrono::month(static_cast<unsigned>(month)),
                            std::chrono::day(static_cast<unsigned>(day))};
  const bool in_range = year >= 1970 && month > 0 && day > 0 && date.ok() && hour >= 0 &&
                        hour < 24 && minute >= 0 && minute < 60 && second >= 0 && second <= 60;
  if (!in_range) return wrong();
  const auto days = sys_days(date).time_since_epoch().count();
  const WallMs seconds = WallMs{days} * 86'400 + hour * 3'600 + (minute - offset) * 60 + second;
  return std::max<WallMs>(0, seconds * 1'000 + ms);
}

}  // namespace drover
