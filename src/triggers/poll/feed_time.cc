#include "triggers/poll/feed_time.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <string>
#include <vector>

namespace drover::triggers {
namespace {

constexpr size_t kTimeBytesMax = 64;
constexpr auto kMonths = std::to_array<std::string_view>(
    {"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"});

struct Zone {
  std::string_view name;
  int hours;
};
constexpr auto kZones = std::to_array<Zone>({{"est", -5},
                                             {"edt", -4},
                                             {"cst", -6},
                                             {"cdt", -5},
                                             {"mst", -7},
                                             {"mdt", -6},
                                             {"pst", -8},
                                             {"pdt", -7},
                                             {"cet", 1},
                                             {"cest", 2},
                                             {"bst", 1}});

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// All of `text` as a number of at most `digits` digits.
std::optional<int> number(std::string_view text, size_t digits) {
  if (text.empty() || text.size() > digits || !std::ranges::all_of(text, is_digit)) return {};
  int out = 0;
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

// "+0100", "-07:00", "GMT", "EST". In minutes.
int offset_of(std::string_view zone) {
  if (zone.starts_with('+') || zone.starts_with('-')) {
    std::string digits(zone.substr(1));
    std::erase(digits, ':');
    const std::optional<int> value = digits.size() == 4 ? number(digits, 4) : std::nullopt;
    if (!value || *value / 100 > 23 || *value % 100 > 59) return 0;
    return (zone[0] == '-' ? -1 : 1) * (*value / 100 * 60 + *value % 100);
  }
  const auto known = std::ranges::find(kZones, zone, &Zone::name);
  return known == kZones.end() ? 0 : known->hours * 60;
}

// "14:13" or "14:13:08", in seconds.
std::optional<int> seconds_of(std::string_view text) {
  if (text.size() < 4 || text.size() > 8) return {};
  const size_t first = text.find(':');
  if (first == std::string_view::npos) return {};
  const size_t second = text.find(':', first + 1);
  const auto hour = number(text.substr(0, first), 2);
  const auto minute = number(text.substr(first + 1, second - first - 1), 2);
  const auto rest =
      second == std::string_view::npos ? std::optional(0) : number(text.substr(second + 1), 2);
  if (!hour || !minute || !rest || *hour > 23 || *minute > 59 || *rest > 60) return {};
  return *hour * 3600 + *minute * 60 + *rest;
}

std::optional<WallMs> time_of(int year, int month, int day, int seconds, int offset_minutes) {
  using namespace std::chrono;
  const year_month_day date{std::chrono::year(year),
                            std::chrono::month(static_cast<unsigned>(month)),
                            std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return {};
  const WallMs days = sys_days(date).time_since_epoch().count();
  return std::max<WallMs>(0, (days * 86'400 + seconds - offset_minutes * 60) * 1'000);
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const size_t begin = text.find_first_not_of(" \t\r\n,");
    if (begin == std::string_view::npos) break;
    const size_t end = std::min(text.find_first_of(" \t\r\n,", begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    text.remove_prefix(end);
  }
  return words;
}

// Lower case: "[wed,] 18 nov 2026 [14:13[:08] [gmt]]".
std::optional<WallMs> parse_rfc822(std::string_view text) {
  std::vector<std::string_view> words = words_of(text);
  if (!words.empty() && !is_digit(words[0][0])) words.erase(words.begin());  // The day of the week.
  if (words.size() < 3) return {};
  const auto day = number(words[0], 2);
  const auto month = std::ranges::find(kMonths, words[1].substr(0, 3));
  auto year = number(words[2], 4);
  if (!day || !year || month == kMonths.end()) return {};
  if (words[2].size() <= 2) *year += *year < 70 ? 2000 : 1900;
  const auto seconds = words.size() > 3 ? seconds_of(words[3]) : std::optional(0);
  if (!seconds) return {};
  const int offset = words.size() > 4 ? offset_of(words[4]) : 0;
  return time_of(*year, static_cast<int>(month - kMonths.begin()) + 1, *day, *seconds, offset);
}

// The forms that base/clock.h does not read: "2026-11-18", "2026-11-18T14:13Z", no zone.
std::optional<WallMs> parse_w3c(std::string_view text) {
  if (text.size() < 10 || text[4] != '-' || text[7] != '-') return {};
  const auto year = number(text.substr(0, 4), 4);
  const auto month = number(text.substr(5, 2), 2);
  const auto day = number(text.substr(8, 2), 2);
  if (!year || !month || !day) return {};
  std::string_view rest = text.substr(10);
  if (rest.empty()) return time_of(*year, *month, *day, 0, 0);
  if (rest[0] != 't' && rest[0] != ' ') return {};
  rest.remove_prefix(1);
  const size_t end = std::min(rest.find_first_not_of("0123456789:"), rest.size());
  const auto seconds = seconds_of(rest.substr(0, end));
  rest.remove_prefix(end);
  if (!seconds) return {};
  if (rest.starts_with('.')) rest.remove_prefix(std::min(rest.find_first_of("z+- "), rest.size()));
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  return time_of(*year, *month, *day, *seconds, offset_of(rest));
}

}  // namespace

std::optional<WallMs> parse_feed_time(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  text = text.substr(begin, text.find_last_not_of(" \t\r\n") + 1 - begin);
  if (text.size() > kTimeBytesMax) return {};
  if (const auto exact = parse_time(text, "time")) return *exact;
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  if (const auto time = parse_w3c(lower)) return time;
  return parse_rfc822(lower);
}

}  // namespace drover::triggers
