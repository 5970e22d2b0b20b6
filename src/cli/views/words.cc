#include "cli/views/words.h"

#include <fmt/core.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <ctime>

namespace drover::cli {

std::string say_age(std::int64_t ms) {
  const std::int64_t s = ms / 1000;
  if (s < 1) return "now";
  if (s < 60) return fmt::format("{}s", s);
  if (s < 3600) return fmt::format("{}m", s / 60);
  if (s < 48 * 3600) return fmt::format("{}h", s / 3600);
  return fmt::format("{}d", s / 86400);
}

std::string say_duration(std::int64_t ms) {
  if (ms < 0) ms = 0;  // The wall clock was set back.
  if (ms < 1000) return fmt::format("{}ms", ms);
  if (ms < 60'000) return fmt::format("{}.{}s", ms / 1000, ms % 1000 / 100);
  const std::int64_t s = ms / 1000;
  if (s < 3600) return fmt::format("{}m{:02}s", s / 60, s % 60);
  if (s < 86'400) return fmt::format("{}h{:02}m", s / 3600, s % 3600 / 60);
  return fmt::format("{}d{:02}h", s / 86'400, s % 86'400 / 3600);
}

std::string say_elapsed(std::int64_t ms) {
  if (ms < 0) ms = 0;
  return ms < 60'000 ? fmt::format("{}s", ms / 1000) : say_duration(ms);
}

std::string say_distance(WallMs time, WallMs now) {
  if (time - now >= 1000) return "in " + say_elapsed(time - now);
  const std::string age = say_age(now - time);
  return age == "now" ? age : age + " ago";
}

std::string say_bytes(std::int64_t bytes) {
  constexpr std::array<std::string_view, 5> kUnits{"B", "kB", "MB", "GB", "TB"};
  if (bytes < 1000) return fmt::format("{} B", bytes);
  size_t unit = 0;
  std::int64_t tenths = bytes * 10;
  while (tenths >= 10'000 && unit + 1 < kUnits.size()) {
    tenths /= 1000;
    ++unit;
  }
  return fmt::format("{}.{} {}", tenths / 10, tenths % 10, kUnits[unit]);
}

std::string say_signal(int number) {
  const char* name = ::sigabbrev_np(number);
  return name == nullptr ? std::to_string(number) : name;
}

std::string say_number(std::uint64_t n) {
  std::string out = std::to_string(n);
  for (size_t at = out.size(); at > 3; at -= 3) out.insert(at - 3, ",");
  return out;
}

std::string say_count(std::int64_t n, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

std::optional<WallMs> parse_rfc3339(std::string_view text) {
  std::tm tm{};
  int ms = 0;
  const std::string copy(text);
  if (std::sscanf(copy.c_str(), "%4d-%2d-%2dT%2d:%2d:%2d.%3dZ", &tm.tm_year, &tm.tm_mon,
                  &tm.tm_mday, &tm.tm_hour, &tm.tm_min, &tm.tm_sec, &ms) != 7) {
    return std::nullopt;
  }
  tm.tm_year -= 1900;
  tm.tm_mon -= 1;
  return static_cast<WallMs>(::timegm(&tm)) * 1000 + ms;
}

std::string say_local(WallMs time, bool with_ms) {
  const std::time_t seconds = static_cast<std::time_t>(time / 1000);
  std::tm tm{};
  ::localtime_r(&seconds, &tm);
  std::array<char, 32> buffer;
  const size_t size = std::strftime(buffer.data(), buffer.size(), "%Y-%m-%d %H:%M:%S", &tm);
  std::string out(buffer.data(), size);
  if (with_ms) out += fmt::format(".{:03}", time % 1000);
  return out;
}

}  // namespace drover::cli
