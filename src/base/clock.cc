#include "base/clock.h"

#include <array>
#include <charconv>
#include <cstdio>
#include <ctime>

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
  std::int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  const std::string_view unit(rest, static_cast<size_t>(end - rest));
  const bool whole = error == std::errc{} && text.front() != '-';
  for (const Unit& known : kUnits) {
    if (!whole || unit != known.name) continue;
    if (number > limits::kDurationMaxMs / known.ms) {
      return fail_invalid(std::string(param),
                          "a duration is at most " + format_duration(limits::kDurationMaxMs));
    }
    return number * known.ms;
  }
  return fail_invalid(std::string(param),
                      "`" + bounded(text, 40) +
                          "` is no duration; write a whole number and a unit (ms, s, m, h, d), "
                          "such as 10s");
}

std::string format_duration(std::int64_t ms) {
  const Unit* best = &kUnits.front();
  for (const Unit& unit : kUnits) {
    if (ms != 0 && ms % unit.ms == 0) best = &unit;
  }
  return std::to_string(ms / best->ms) + std::string(best->name);
}

}  // namespace drover
