#include "triggers/time/schedule.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/text.h"
#include "triggers/time/calendar.h"
#include "triggers/time/limits.h"

namespace drover::triggers {
namespace {

template <class... Ts>
struct Overload : Ts... {
  using Ts::operator()...;
};

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t";
  const size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

// The duration of "@every 30m"; nullopt for any other text.
std::optional<std::string_view> interval_of(std::string_view text) {
  constexpr std::string_view kEvery = "@every";
  const std::string_view word = text.substr(0, text.find_first_of(" \t"));
  const bool is_every = std::ranges::equal(
      word, kEvery, {}, [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (!is_every) return std::nullopt;
  return trimmed(text.substr(word.size()));
}

Result<Schedule> every_for(std::string_view param, std::int64_t interval_ms, WallMs anchor) {
  if (interval_ms < kEveryMinMs || interval_ms > kEveryMaxMs) {
    return fail_invalid(std::string(param),
                        "the interval must be from " + format_duration(kEveryMinMs) + " to " +
                            format_duration(kEveryMaxMs) + ", not " + format_duration(interval_ms));
  }
  return Every{.interval_ms = interval_ms, .anchor = std::clamp<WallMs>(anchor, 0, kTimeEndMs)};
}

// How many due times an interval has up to `time`.
std::int64_t passed(const Every& every, WallMs time) {
  const WallMs until = std::min(time, kTimeEndMs - 1);
  return until < every.anchor ? 0 : (until - every.anchor) / every.interval_ms;
}

}  // namespace

Result<Schedule> cron_schedule(std::string_view text, std::string_view zone, WallMs anchor) {
  text = trimmed(text);
  auto found = find_zone(zone);
  if (!found) return std::unexpected(std::move(found.error()));
  if (const auto interval = interval_of(text)) {
    const auto ms = parse_duration_ms(*interval, "cron");
    if (!ms) return std::unexpected(ms.error());
    return every_for("cron", *ms, anchor);
  }
  auto cron = parse_cron(text);
  if (!cron) return std::unexpected(std::move(cron.error()));
  return CronSchedule{.text = std::string(text), .zone = std::move(*found), .cron = *cron};
}

Result<Schedule> every_schedule(std::string_view interval, WallMs anchor) {
  const auto ms = parse_duration_ms(interval, "every");
  if (!ms) return std::unexpected(ms.error());
  return every_schedule(*ms, anchor);
}

Result<Schedule> every_schedule(std::int64_t interval_ms, WallMs anchor) {
  return every_for("every", interval_ms, anchor);
}

Result<Schedule> once_schedule(WallMs at) {
  if (at < 0 || at >= kTimeEndMs) {
    return fail_invalid("at", "the time must be from 1970-01-01 up to the end of 2199");
  }
  return OneTime{.at = at};
}

Result<Schedule> checked_for_future(Schedule schedule, WallMs now) {
  if (next_after(schedule, now)) return schedule;
  const auto refuse = [](std::string message, std::string param) {
    return fail(ErrorCode::invalid, "no_future_time", std::move(message), std::move(param));
  };
  return std::visit(
      Overload{[&](const CronSchedule& cron) -> Result<Schedule> {
                 return refuse("the cron \"" + bounded(cron.text, 80) +
                                   "\" never comes again: change its day of month or month, such "
                                   "as L for the last day of a month",
                               "cron");
               },
               [&](const Every&) -> Result<Schedule> {
                 return refuse("the interval has no time before 2200: check the clock", "every");
               },
               [&](const OneTime& once) -> Result<Schedule> {
                 return refuse("the time " + rfc3339(once.at) + " has passed: it is " +
                                   rfc3339(now) + " now; give a later time",
                               "at");
               }},
      schedule);
}

std::optional<WallMs> next_after(const Schedule& schedule, WallMs after) {
  return std::visit(
      Overload{[&](const CronSchedule& cron) { return next_time(cron.cron, cron.zone, after); },
               [&](const Every& every) -> std::optional<WallMs> {
                 const std::int64_t k = passed(every, after) + 1;
                 const WallMs due_time = every.anchor + k * every.interval_ms;
                 if (due_time <= after || due_time >= kTimeEndMs) return std::nullopt;
                 return due_time;
               },
               [&](const OneTime& once) -> std::optional<WallMs> {
                 if (once.at <= after) return std::nullopt;
                 return once.at;
               }},
      schedule);
}

std::int64_t count_due_times(const Schedule& schedule, WallMs first, WallMs last) {
  if (first > last) return 0;
  return std::visit(
      Overload{
          [&](const CronSchedule& cron) { return count_times(cron.cron, cron.zone, first, last); },
          [&](const Every& every) {
            return passed(every, last) - passed(every, std::max(first, every.anchor + 1) - 1);
          },
          [&](const OneTime& once) -> std::int64_t {
            return once.at >= first && once.at <= last ? 1 : 0;
          }},
      schedule);
}

std::optional<WallMs> nth_latest(const Schedule& schedule, WallMs first, WallMs last,
                                 std::int64_t n) {
  WallMs low = std::max<WallMs>(first, 0);
  WallMs high = std::min(last, kTimeEndMs);  // Between low and high lies the latest start with n.
  if (n < 1 || low > high || count_due_times(schedule, low, high) < n) return std::nullopt;
  const WallMs end = high;
  while (low < high) {
    const WallMs middle = low + (high - low + 1) / 2;
    if (count_due_times(schedule, middle, end) >= n) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

std::vector<WallMs> preview(const Schedule& schedule, WallMs after, size_t n) {
  std::vector<WallMs> out;
  while (out.size() < std::min(n, kPreviewMax)) {
    const auto due_time = next_after(schedule, out.empty() ? after : out.back());
    if (!due_time) break;
    out.push_back(*due_time);
  }
  return out;
}

std::string describe(const Schedule& schedule) {
  return std::visit(
      Overload{[](const CronSchedule& cron) { return cron.text + " (" + cron.zone.name() + ")"; },
               [](const Every& every) { return "every " + format_duration(every.interval_ms); },
               [](const OneTime& once) { return "once at " + rfc3339(once.at); }},
      schedule);
}

}  // namespace drover::triggers
