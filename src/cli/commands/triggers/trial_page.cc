#include "cli/commands/triggers/trial_page.h"

#include "cli/commands/triggers/trigger_view.h"
#include "cli/fields.h"
#include "cli/views/columns.h"
#include "cli/views/sheet.h"
#include "cli/views/words.h"

namespace drover::cli {
namespace {

using boost::json::object;

constexpr size_t kValueBytesMax = 200;  // A longer field of an event is cut.

std::string time_text(const object& from, std::string_view field, WallMs now) {
  const auto time = parse_rfc3339(text_in(from, field));
  return time ? say_local(*time) + " (" + say_distance(*time, now) + ")" : "";
}

std::string head_of(const object& trial, WallMs now) {
  const std::string time = time_text(trial, "due_at", now);
  return text_in(trial, "trigger") +
         (flag_in(trial, "would_run") ? " would run" : " would not run") +
         (time.empty() ? " for this event" : " at " + time);
}

std::string check_text(const object& check, WallMs now) {
  std::string out = text_in(check, "text");
  if (const boost::json::value* value = check.if_contains("value")) {
    out += "; the value is " + bounded(json_text(*value), kValueBytesMax);
  }
  const std::string until = time_text(check, "until", now);
  if (!until.empty()) out += ", until " + until;
  return flag_in(check, "passes") ? out : "no: " + out;
}

std::string neighbors(const object& trial, WallMs now) {
  const std::string before = time_text(trial, "due_before", now);
  const std::string after = time_text(trial, "due_after", now);
  return before + (before.empty() || after.empty() ? "" : " and ") + after;
}

}  // namespace

std::string trial_page(const object& trial, const Screen& screen, WallMs now) {
  Sheet sheet(screen, 2, 13);
  sheet.head(head_of(trial, now));
  for (const boost::json::value& one : array_in(trial, "checks")) {
    if (!one.is_object()) continue;
    const object& check = one.get_object();
    sheet.line(text_in(check, "check"), check_text(check, now),
               flag_in(check, "passes") ? Color::none : Color::yellow);
  }
  sheet.line("nearest", neighbors(trial, now));
  const object& run = object_in(trial, "run");
  sheet.line("command", command_of_trigger(trial));
  sheet.line("directory", text_in(run, "cwd"));
  sheet.line("lane", text_in(run, "lane"));
  std::string names;
  for (const boost::json::value& name : array_in(trial, "env_names")) {
    if (name.is_string()) names += (names.empty() ? "" : ", ") + std::string(name.get_string());
  }
  sheet.line("variables", names);
  sheet.line(flag_in(trial, "in_file") ? "event file" : "event",
             bounded(json_text(object_in(trial, "drover_trigger")), 4 * 1024));
  return sheet.take();
}

}  // namespace drover::cli
