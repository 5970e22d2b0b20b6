// A Plan is a month that a seed makes: triggers of all kinds, each with the fields by which it is
// added and the same rules as the oracle reads them, and the actions of people, servers, the disk
// and the machine during that month. Pure: the same seed makes the same plan.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"
#include "triggers/time/cron_oracle_fixture.h"

namespace drover::triggers::month {

inline constexpr std::int64_t kMinuteMs = 60'000;
inline constexpr std::int64_t kHourMs = 60 * kMinuteMs;
inline constexpr std::int64_t kDayMs = 24 * kHourMs;
inline constexpr std::int64_t kMonthMs = 30 * kDayMs;
inline constexpr int kTriggers = 200;

struct PlannedTrigger {
  std::string name;
  std::string source;  // As in the field `source.type`; "internal": an event of Drover itself.
  boost::json::object fields = {};

  // Of a schedule.
  RandomCron cron = {};
  std::string zone = {};
  std::int64_t every_ms = 0;
  WallMs once_at = 0;
  std::string missed = "once";
  std::int64_t window_ms = 0;
  std::int64_t jitter_ms = 0;
  bool is_schedule() const { return source == "cron" || source == "every" || source == "once"; }

  std::string overlap = "skip";  // When it is added; an action may change it.
  // Of events: the type, the filter `payload.digit lt below` (10: none), and the window of dedup.
  std::string on = {};
  int below = 10;
  std::int64_t dedup_ms = 0;
  std::string of = {};    // Internal: the trigger that causes its events; empty: see set_internal.
  bool fails = false;     // All its runs fail.
  std::string path = {};  // Of the directory, the webhook or the server.
};

enum class Act : std::uint8_t {
  emit,
  deliver,
  redeliver,
  publish,
  write_file,
  fire,
  pause,
  resume,
  edit,
  kill,
  kill_in_write,
  fail_call,
  fail_sync,
  fill_disk,
  set_clock,
  sleep,
};

struct Action {
  std::int64_t at_ms = 0;  // Since the month began, by the clock that nobody sets.
  Act act = Act::emit;
  std::uint64_t seed = 0;  // For its details.
};

struct Plan {
  std::uint64_t seed = 0;
  WallMs begins = 0;
  std::vector<PlannedTrigger> triggers;
  std::vector<Action> actions;  // In order.

  const PlannedTrigger* find(std::string_view name) const;
};

// `directory` is where the watched directories and the secret of the webhooks are.
Plan plan_month(std::uint64_t seed, const std::string& directory);

// 64 well mixed bits of a seed and a text.
std::uint64_t mix(std::uint64_t seed, std::string_view text);

}  // namespace drover::triggers::month
