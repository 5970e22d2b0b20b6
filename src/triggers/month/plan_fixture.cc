#include "triggers/month/plan_fixture.h"

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>

#include "base/fnv.h"

namespace drover::triggers::month {
namespace {

namespace json = boost::json;

// Months in which clocks change somewhere, and one without a change.
constexpr auto kBegins = std::to_array<std::string_view>(
    {"2027-03-08T00:00:00Z", "2026-10-10T00:00:00Z", "2026-09-20T00:00:00Z", "2027-03-25T00:00:00Z",
     "2027-01-05T00:00:00Z"});
constexpr auto kZones = std::to_array<std::string_view>(
    {"Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "UTC",
     "America/Santiago", "Pacific/Auckland", "Africa/Cairo", "Atlantic/Azores"});
constexpr auto kTypes = std::to_array<std::string_view>({"build.done", "deploy.done", "test.done"});

template <class T>
const auto& one_of(Sample& sample, const T& all) {
  return all[static_cast<size_t>(sample.pick(0, static_cast<int>(std::size(all)) - 1))];
}

RandomField exactly(std::initializer_list<int> values) {
  RandomField out;
  for (const int value : values) {
    out.text += (out.text.empty() ? "" : ",") + std::to_string(value);
    out.values.insert(value);
  }
  return out;
}

// A few times a week, many of them at the hours in which clocks change.
RandomCron cron_of(Sample& sample) {
  RandomCron out;
  out.second = exactly({0});
  out.minute = exactly({15 * sample.pick(0, 3)});
  out.hour = exactly({sample.pick(0, 3)});
  if (sample.chance(20)) out.hour = exactly({sample.pick(0, 23)});
  if (sample.chance(15)) out.hour = exactly({1, 2});
  if (sample.chance(10)) out.hour = sample.star(0, 23, 6 * sample.pick(1, 2));
  if (sample.chance(15)) out.minute = sample.star(0, 59, 15);
  out.day = sample.chance(70) ? sample.star(1, 31, 1) : sample.list(1, 31, sample.pick(1, 28), 2);
  out.month = sample.star(1, 12, 1);
  out.weekday = sample.chance(40) ? sample.star(0, 6, 1) : sample.list(0, 6, 0, 1);
  if (out.day.star && out.weekday.star && sample.chance(50)) out.day = sample.star(1, 31, 2);
  sample.add_last(out, 10);
  out.text = out.minute.text + " " + out.hour.text + " " + out.day.text + " " + out.month.text +
             " " + out.weekday.text;
  return out;
}

void set_schedule(Sample& sample, WallMs begins, PlannedTrigger& out) {
  json::object source{{"type", out.source}};
  if (out.source == "cron") {
    out.cron = cron_of(sample);
    out.zone = one_of(sample, kZones);
    source["cron"] = out.cron.text;
    source["tz"] = out.zone;
  } else if (out.source == "every") {
    const int hours = one_of(sample, std::to_array({3, 8, 12, 24, 36, 48, 72}));
    out.every_ms = hours * kHourMs;
    source["every"] = std::to_string(hours) + "h";
  } else {
    out.once_at = begins + sample.pick(1, 30 * 24 * 4) * 15 * kMinuteMs;
    source["at"] = rfc3339(out.once_at);
  }
  out.fields["source"] = std::move(source);
  out.missed = one_of(sample, std::to_array<std::string>({"once", "once", "skip", "all"}));
  out.fields["missed"] = out.missed;
  if (out.missed == "all") {
    const int hours = sample.pick(2, 60);
    out.window_ms = hours * kHourMs;
    out.fields["missed_window"] = std::to_string(hours) + "h";
  }
  if (sample.chance(15)) {
    const int minutes = sample.pick(1, 20);
    out.jitter_ms = minutes * kMinuteMs;
    out.fields["jitter"] = std::to_string(minutes) + "m";
  }
}

json::array rule(std::string_view field, std::string_view op, const json::value& value) {
  return {json::object{{"field", field}, {"op", op}, {"value", value}}};
}

// Events of Drover itself, about a trigger of the plan that stands before this one.
void set_internal(Sample& sample, int number, const Plan& plan, PlannedTrigger& out) {
  static constexpr auto kOn =
      std::to_array<std::string_view>({"run.completed", "run.failed", "run.canceled",
                                       "trigger.fired", "trigger.missed", "trigger.skipped"});
  out.on = kOn[static_cast<size_t>(number) % kOn.size()];
  out.fields["source"] = json::object{{"type", "event"}, {"on", out.on}};
  // Failures of many triggers, and of its own runs, which is a loop.
  if (out.on == "run.failed" && number < 6) {
    out.fields["filters"] =
        rule("payload.scope", "matches", json::value("^trigger/(every-1.*|" + out.name + ")$"));
    return;
  }
  out.of = one_of(sample, plan.triggers).name;
  const bool is_run = out.on.starts_with("run.");
  out.fields["filters"] = rule(is_run ? "payload.scope" : "payload.trigger", "eq",
                               json::value(is_run ? "trigger/" + out.of : out.of));
}

void set_source(Sample& sample, int number, const std::string& directory, PlannedTrigger& out) {
  json::object source{{"type", out.source}};
  if (out.source == "event") {
    out.on = one_of(sample, kTypes);
    source["on"] = out.on;
  } else if (out.source == "webhook") {
    out.path = "sender/" + std::to_string(number);
    source["path"] = out.path;
    source["secret"] = "file:" + directory + "/secret";
  } else if (out.source == "file") {
    out.path = directory + "/watched-" + std::to_string(number);
    source["root"] = out.path;
    source["settle"] = "0s";
  } else {
    out.path = "http://127.0.0.1/" + out.name;
    source["url"] = out.path;
    source["interval"] = std::to_string(sample.pick(2, 6)) + "h";
    source["allow_private"] = true;
    if (out.source == "page") source["selector"] = "p";
  }
  out.fields["source"] = std::move(source);
  if ((out.source == "event" || out.source == "webhook") && sample.chance(40)) {
    out.below = sample.pick(3, 9);
    out.fields["filters"] = rule("payload.digit", "lt", out.below);
  }
  if (out.source == "event" && sample.chance(40)) {
    const int minutes = sample.pick(10, 2'000);
    out.dedup_ms = minutes * kMinuteMs;
    out.fields["dedup"] = std::to_string(minutes) + "m";
  }
}

std::string_view source_of(int number) {
  struct Part {
    std::string_view source;
    int until;
  };
  static constexpr auto kParts = std::to_array<Part>({{"cron", 84},
                                                      {"every", 124},
                                                      {"once", 144},
                                                      {"event", 164},
                                                      {"internal", 176},
                                                      {"webhook", 188},
                                                      {"feed", 194},
                                                      {"page", 196},
                                                      {"file", kTriggers}});
  return std::ranges::find_if(kParts, [&](const Part& part) { return number < part.until; })
      ->source;
}

void add_actions(Sample& sample, Act act, int count, Plan& plan) {
  // The last two days are quiet, so that everything is polled once more.
  for (int i = 0; i < count; ++i) {
    const std::int64_t at = std::int64_t{sample.pick(1, 28 * 24 * 60)} * kMinuteMs + 1'000;
    plan.actions.push_back(
        {.at_ms = at,
         .act = act,
         .seed = mix(plan.seed, "action" + std::to_string(plan.actions.size()))});
  }
}

}  // namespace

std::uint64_t mix(std::uint64_t seed, std::string_view text) {
  std::uint64_t out = fnv(std::to_string(seed) + "/" + std::string(text));
  out ^= out >> 32;
  out *= 0xD6E8FEB86659FD93ULL;
  return out ^ (out >> 32);
}

const PlannedTrigger* Plan::find(std::string_view name) const {
  const auto found = std::ranges::find(triggers, name, &PlannedTrigger::name);
  return found == triggers.end() ? nullptr : &*found;
}

Plan plan_month(std::uint64_t seed, const std::string& directory) {
  Sample sample(mix(seed, "plan"));
  Plan plan{.seed = seed,
            .begins = parse_time(one_of(sample, kBegins), "at").value(),
            .triggers = {},
            .actions = {}};
  for (int number = 0; number < kTriggers; ++number) {
    PlannedTrigger one{.name = "", .source = std::string(source_of(number))};
    one.name = one.source + "-" + std::to_string(number);
    one.fields = {{"name", one.name},
                  {"run", json::object{{"command", json::array{"work"}}, {"cwd", "/"}}}};
    if (one.is_schedule()) {
      set_schedule(sample, plan.begins, one);
    } else if (one.source == "internal") {
      set_internal(sample, number - 164, plan, one);
    } else {
      set_source(sample, number, directory, one);
    }
    one.overlap = one_of(sample, std::to_array<std::string>({"skip", "skip", "queue", "replace"}));
    one.fields["overlap"] = one.overlap;
    one.fails = sample.chance(8);
    plan.triggers.push_back(std::move(one));
  }
  add_actions(sample, Act::emit, 120, plan);
  add_actions(sample, Act::deliver, 40, plan);
  add_actions(sample, Act::redeliver, 10, plan);
  add_actions(sample, Act::publish, 40, plan);
  add_actions(sample, Act::write_file, 8, plan);
  add_actions(sample, Act::fire, 6, plan);
  add_actions(sample, Act::pause, 12, plan);
  add_actions(sample, Act::resume, 12, plan);
  add_actions(sample, Act::edit, 8, plan);
  add_actions(sample, Act::kill, sample.pick(2, 8), plan);
  add_actions(sample, Act::kill_in_write, sample.pick(5, 25), plan);
  add_actions(sample, Act::fail_call, sample.pick(5, 25), plan);
  add_actions(sample, Act::fail_sync, sample.pick(2, 8), plan);
  add_actions(sample, Act::fill_disk, sample.pick(1, 5), plan);
  add_actions(sample, Act::set_clock, sample.pick(0, 6), plan);
  add_actions(sample, Act::sleep, sample.pick(0, 3), plan);
  std::ranges::sort(plan.actions, {},
                    [](const Action& action) { return std::pair(action.at_ms, action.seed); });
  return plan;
}

}  // namespace drover::triggers::month
