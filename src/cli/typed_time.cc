#include "cli/typed_time.h"

#include <array>
#include <chrono>
#include <ctime>
#include <optional>
#include <string>

#include "cli/views/columns.h"

namespace drover::cli {
namespace {

constexpr auto kForms =
    std::to_array<const char*>({"%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M", "%H:%M:%S", "%H:%M"});

// Local time; the fields that the text lacks are those of `tm`.
std::optional<std::tm> read(const std::string& text, const char* form, std::tm tm) {
  tm.tm_sec = 0;
  const char* end = ::strptime(text.c_str(), form, &tm);
  if (end == nullptr || *end != '\0') return std::nullopt;
  tm.tm_isdst = -1;  // The zone knows.
  return tm;
}

WallMs instant_of(std::tm tm) {
  return static_cast<WallMs>(std::mktime(&tm)) * 1'000;
}

// February 30 is none: mktime would make it March 2.
bool is_day(const std::tm& tm) {
  return std::chrono::year_month_day(std::chrono::year(tm.tm_year + 1900),
                                     std::chrono::month(static_cast<unsigned>(tm.tm_mon + 1)),
                                     std::chrono::day(static_cast<unsigned>(tm.tm_mday)))
      .ok();
}

}  // namespace

Result<WallMs> parse_typed_time(std::string_view text, std::string_view param, WallMs now,
                                Side side) {
  if (auto exact = parse_time(text, param)) return exact;
  const auto seconds = static_cast<std::time_t>(now / 1'000);
  std::tm today{};
  ::localtime_r(&seconds, &today);
  for (const char* form : kForms) {
    auto tm = read(std::string(text), form, today);
    if (!tm || !is_day(*tm)) continue;
    const bool has_day = form[1] == 'Y';
    const WallMs time = instant_of(*tm);
    if (has_day || (side == Side::past ? time <= now : time >= now)) return time;
    tm->tm_mday += side == Side::past ? -1 : 1;
    return instant_of(*tm);
  }
  return fail_invalid(std::string(param),
                      "invalid time \"" + clean(text) +
                          "\": write 03:00, '2026-11-18 03:00' or 2026-11-18T03:00:00Z");
}

}  // namespace drover::cli
