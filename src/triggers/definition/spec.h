// A TriggerSpec is the definition of a trigger: its source (a schedule, or where its events come
// from), the rules for due times and events that do not start a run, and the run itself. The
// command line and the API send it as JSON, which is read and checked here; docs/triggers.md
// describes the fields. An invalid field is an error that names it.
//
// Pure values; any thread. The store keeps a spec as JSON (stored_trigger.h); the values of its
// environment are not part of it, but in a private file (environment_file.h).
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "run/spec.h"
#include "triggers/events/filter.h"
#include "triggers/events/pattern.h"
#include "triggers/files/file_spec.h"
#include "triggers/time/due.h"
#include "triggers/time/schedule.h"

namespace drover::triggers {

struct WebhookSource {
  std::string path;
  std::string secret;  // Where the secret is: "file:PATH" or "env:NAME".
};
struct PollSource {
  std::string url;
  std::string selector = {};     // Of a page; empty: a feed.
  std::int64_t interval_ms = 0;  // 0: not given.
  bool allow_private = false;
  bool is_page() const { return !selector.empty(); }
};
struct EventSource {
  EventPattern on;
};
using Source = std::variant<Schedule, FileSpec, WebhookSource, PollSource, EventSource>;

// The rule for a trigger whose last run is still active.
enum class Overlap : std::uint8_t {
  skip,     // The occurrence is skipped.
  queue,    // Its run starts when the last one has finished.
  replace,  // The last run is canceled, and this one starts when it has finished.
};
std::string_view name(Overlap overlap);

struct TriggerSpec {
  std::string name;
  Source source;
  std::vector<FilterRule> filters = {};
  std::int64_t dedup_ms = 0;  // 0: none.
  MissedPolicy missed = MissedPolicy::once;
  std::int64_t missed_window_ms = kMissedWindowMs;  // Of `missed: all`.
  std::int64_t jitter_ms = 0;
  Overlap overlap = Overlap::skip;
  run::Spec run = {};  // Its name and scope are the trigger's.

  const Schedule* schedule() const { return std::get_if<Schedule>(&source); }
};

// "cron", "every", "once", "file", "webhook", "feed", "page" or "event".
std::string_view source_type(const Source& source);

// The source in words: "0 3 * * * (Europe/Berlin)", "on run.failed".
std::string describe(const Source& source);

// `anchor` is where the grid of `every` begins: when the trigger was added. The error names the
// field, as "source.cron".
Result<TriggerSpec> read_spec(const boost::json::object& fields, WallMs anchor);
Result<TriggerSpec> read_spec(std::string_view json, WallMs anchor);
// The fields again, without env.
boost::json::object fields_of(const TriggerSpec& spec);

// 1 to 64 letters, digits, '_', '-' or '.'; it begins with a letter or digit.
Result<> check_name(std::string_view name);

}  // namespace drover::triggers
