#include "triggers/time/zone_rule.h"

#include <algorithm>
#include <chrono>

namespace drover::triggers {
namespace {

// Takes pieces off the front of the text. A piece that is missing makes the whole text bad.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  bool take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void need(char c) { good_ = take(c) && good_; }

  int number(int max) {
    int out = 0;
    bool any = false;
    for (; !rest_.empty() && rest_[0] >= '0' && rest_[0] <= '9' && out <= max; any = true) {
      out = out * 10 + (rest_[0] - '0');
      rest_.remove_prefix(1);
    }
    good_ = good_ && any && out <= max;
    return out;
  }

  // "CET", or "<+0330>" for abbreviations that are not letters.
  void abbreviation() {
    const bool quoted = take('<');
    const size_t end = rest_.find_first_of(quoted ? ">" : "+-0123456789,");
    good_ = good_ && end != 0 && (end != std::string_view::npos || !quoted);
    rest_.remove_prefix(std::min(end, rest_.size()));
    if (quoted) need('>');
  }

  // "[+-]h[:m[:s]]" in seconds.
  int time(int hours_max) {
    const bool negative = take('-');
    if (!negative) take('+');
    int out = number(hours_max) * 3'600;
    if (take(':')) out += number(59) * 60;
    if (take(':')) out += number(59);
    return negative ? -out : out;
  }

  ZoneRule::Day day() {
    using Form = ZoneRule::Day::Form;
    ZoneRule::Day out{.time_s = 2 * 3'600};
    if (take('M')) {
      out.month = number(12);
      need('.');
      out.week = number(5);
      need('.');
      out.day = number(6);
      good_ = good_ && out.month > 0 && out.week > 0;
    } else {
      out.form = take('J') ? Form::day_without_leap : Form::day_of_year;
      out.day = number(365);
    }
    if (take('/')) out.time_s = time(167);
    return out;
  }

  bool at_end() const { return rest_.empty(); }
  bool next_is(char c) const { return rest_.starts_with(c); }
  bool is_good() const { return good_; }

 private:
  std::string_view rest_;
  bool good_ = true;
};

UnixS midnight_of(const ZoneRule::Day& day, int year_number) {
  using namespace std::chrono;
  using Form = ZoneRule::Day::Form;
  const year in(year_number);
  sys_days out;
  switch (day.form) {
    case Form::weekday_of_month: {
      const weekday wanted(static_cast<unsigned>(day.day));
      const year_month month = in / day.month;
      out = day.week == 5 ? sys_days(month / wanted[last])
                          : sys_days(month / wanted[static_cast<unsigned>(day.week)]);
      break;
    }
    case Form::day_without_leap:  // 1-365: February 29 has no number.
      out =
          sys_days(in / January / 1) + days(day.day - 1 + (in.is_leap() && day.day >= 60 ? 1 : 0));
      break;
    case Form::day_of_year:  // 0-365.
      out = sys_days(in / January / 1) + days(day.day);
      break;
  }
  return UnixS{out.time_since_epoch().count()} * 86'400;
}

}  // namespace

std::array<OffsetChange, 2> ZoneRule::changes(int year) const {
  const OffsetChange summer{.at = midnight_of(begin, year) + begin.time_s - standard_s,
                            .offset_s = daylight_s};
  const OffsetChange winter{.at = midnight_of(end, year) + end.time_s - daylight_s,
                            .offset_s = standard_s};
  if (summer.at < winter.at) return {summer, winter};
  return {winter, summer};
}

std::optional<ZoneRule> parse_zone_rule(std::string_view text) {
  Reader reader(text);
  ZoneRule out;
  reader.abbreviation();
  out.standard_s = -reader.time(24);  // POSIX counts west of Greenwich as positive.
  if (reader.at_end()) return std::nullopt;
  reader.abbreviation();
  out.daylight_s = reader.next_is(',') ? out.standard_s + 3'600 : -reader.time(24);
  reader.need(',');
  out.begin = reader.day();
  reader.need(',');
  out.end = reader.day();
  if (!reader.is_good() || !reader.at_end()) return std::nullopt;
  return out;
}

}  // namespace drover::triggers
