// The cron oracle knows only the rules in calendar.h and cron.h. It walks through real time second
// by second (minute by minute without a seconds field), asks the C library what the zone's clock
// shows, and keeps the latest time shown. It has no parser: each random field is made as text and
// as a set of values side by side.
#pragma once

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "triggers/time/libc_zone_fixture.h"

namespace drover::triggers {

inline constexpr std::int64_t kHour = 3'600;
inline constexpr std::int64_t kDay = 24 * kHour;

inline std::tm civil(std::int64_t local_s) {
  const auto time = static_cast<std::time_t>(local_s);
  std::tm out{};
  ::gmtime_r(&time, &out);
  return out;
}

struct RandomField {
  std::string text;
  std::set<int> values = {};
  bool star = false;
};

struct RandomCron {
  std::string text;
  bool has_seconds = false;
  RandomField second, minute, hour, day, month, weekday;
  bool last_day = false;
  std::set<int> last_weekdays;

  bool is_wildcard() const { return minute.star || hour.star; }

  bool matches(std::int64_t local_s) const {
    const std::tm t = civil(local_s);
    if (!second.values.contains(t.tm_sec) || !minute.values.contains(t.tm_min) ||
        !hour.values.contains(t.tm_hour) || !month.values.contains(t.tm_mon + 1)) {
      return false;
    }
    const bool by_day =
        day.values.contains(t.tm_mday) || (last_day && civil(local_s + kDay).tm_mday == 1);
    const bool by_weekday =
        weekday.values.contains(t.tm_wday) ||
        (last_weekdays.contains(t.tm_wday) && civil(local_s + 7 * kDay).tm_mon != t.tm_mon);
    if (day.star || weekday.star) return by_day && by_weekday;
    return by_day || by_weekday;
  }
};

inline std::int64_t year_begins(int year) {
  std::tm begin{};
  begin.tm_year = year - 1900;
  begin.tm_mday = 1;
  return ::timegm(&begin);
}

// The changes of the offset of the zone that is set. Two of them are more than six hours apart.
inline std::vector<std::int64_t> changes_between(std::int64_t from, std::int64_t to) {
  std::vector<std::int64_t> found;
  for (std::int64_t at = from; at < to; at += 6 * kHour) {
    std::int64_t low = at;
    std::int64_t high = at + 6 * kHour;
    if (LibcZone::offset_s(low) == LibcZone::offset_s(high)) continue;
    while (high - low > 1) {
      const std::int64_t middle = (low + high) / 2;
      (LibcZone::offset_s(middle) == LibcZone::offset_s(low) ? low : high) = middle;
    }
    found.push_back(high);
  }
  return found;
}

class Sample {
 public:
  explicit Sample(std::uint64_t seed) : random_(seed) {}

  int pick(int from, int to) { return std::uniform_int_distribution(from, to)(random_); }
  bool chance(int percent) { return pick(1, 100) <= percent; }

  std::int64_t instant_of_year(int year) {
    return year_begins(year) + std::int64_t{pick(0, 365 * 24 * 60 - 1)} * 60;
  }

  // A change of the zone's offset in the year after `from`, or any instant of it if it has none.
  std::int64_t change_after(std::int64_t from) {
    const std::vector<std::int64_t> found = changes_between(from, from + 366 * kDay);
    if (found.empty()) return from;
    return found[static_cast<size_t>(pick(0, static_cast<int>(found.size()) - 1))];
  }

  RandomField star(int min, int max, int step) {
    RandomField out{.text = chance(80) ? "*" : "?", .star = true};
    if (step > 1) out.text += "/" + std::to_string(step);
    for (int at = min; at <= max; at += step) out.values.insert(at);
    return out;
  }

  // One to three elements, mostly near `near`: the interesting times are those around a change.
  RandomField list(int min, int max, int near, int spread) {
    RandomField out;
    for (int i = pick(1, 3); i > 0; --i) {
      int from = chance(75) ? near + pick(-spread, spread) : pick(min, max);
      from = std::clamp(from, min, max);
      int to = from;
      int step = 1;
      std::string text = std::to_string(from);
      if (chance(30)) {
        to = pick(from, max);
        text += "-" + std::to_string(to);
      }
      if (chance(20)) {
        step = pick(1, max - min + 1);
        if (!text.contains('-')) to = max;
        text += "/" + std::to_string(step);
      }
      for (int at = from; at <= to; at += step) out.values.insert(at);
      out.text += (out.text.empty() ? "" : ",") + text;
    }
    return out;
  }

  void add_last(RandomCron& cron, int percent) {
    if (chance(percent)) {
      cron.last_day = true;
      cron.day.text += ",L";
    }
    if (chance(percent)) {
      const int last = pick(0, 6);
      cron.last_weekdays.insert(last);
      cron.weekday.text += "," + std::to_string(last) + "L";
    }
  }

  RandomCron cron(const std::tm& near) {
    RandomCron out;
    out.has_seconds = chance(25);
    out.second = RandomField{.text = "0", .values = {0}};
    if (out.has_seconds) {
      out.second = chance(40) ? star(0, 59, pick(1, 30)) : list(0, 59, pick(0, 59), 5);
    }
    out.minute = chance(30) ? star(0, 59, pick(1, 40)) : list(0, 59, pick(0, 3) * 15, 2);
    out.hour = chance(30) ? star(0, 23, pick(1, 6)) : list(0, 23, near.tm_hour, 2);
    out.day = chance(60) ? star(1, 31, chance(80) ? 1 : 2) : list(1, 31, near.tm_mday, 1);
    out.month = chance(75) ? star(1, 12, chance(80) ? 1 : 2) : list(1, 12, near.tm_mon + 1, 1);
    out.weekday = chance(60) ? star(0, 6, chance(80) ? 1 : 2) : list(0, 6, near.tm_wday, 1);
    add_last(out, 10);
    out.text = (out.has_seconds ? out.second.text + " " : "") + out.minute.text + " " +
               out.hour.text + " " + out.day.text + " " + out.month.text + " " + out.weekday.text;
    return out;
  }

 private:
  std::mt19937_64 random_;
};

// `step` may be larger than a minute if all times of the cron and all changes of the zone are
// multiples of it, and `from` is one.
inline std::vector<WallMs> by_oracle(const RandomCron& cron, std::int64_t from, std::int64_t to,
                                     std::int64_t step = 0) {
  const auto local = [](std::int64_t at) { return at + LibcZone::offset_s(at); };
  // No zone has ever set its clock back by more than a day since 1970.
  std::int64_t latest = local(from - 1);
  for (std::int64_t at = from - 2 * kDay; at < from; at += 60) latest = std::max(latest, local(at));
  if (step == 0) step = cron.has_seconds ? 1 : 60;
  std::vector<WallMs> out;
  for (std::int64_t at = from; at <= to; at += step) {
    const std::int64_t now = local(at);
    bool runs = cron.is_wildcard() && cron.matches(now);
    if (!cron.is_wildcard()) {
      // The clock has moved from `latest` to `now`, usually by one step.
      for (std::int64_t time = std::max(latest - latest % step, now - 2 * kDay);
           time <= now && !runs; time += step) {
        runs = time > latest && cron.matches(time);
      }
      latest = std::max(latest, now);
    }
    if (runs) out.push_back(at * 1'000);
  }
  return out;
}

}  // namespace drover::triggers
