#include "cli/commands/triggers/trigger_view.h"

#include <ctime>

#include "cli/fields.h"
#include "cli/plan.h"
#include "cli/resource_limits.h"
#include "cli/views/output.h"
#include "cli/views/run_view.h"
#include "cli/views/sheet.h"
#include "cli/views/table.h"
#include "cli/views/words.h"

namespace drover::cli {
namespace {

using boost::json::object;

Color color_of(std::string_view outcome) {
  if (outcome == "fired") return Color::green;
  if (outcome == "missed") return Color::red;
  return outcome == "skipped" ? Color::yellow : Color::none;
}

std::string word_text(const boost::json::value& value) {
  if (value.is_string()) return quoted(value.get_string());
  return value.is_object() ? quoted(bytes_of(value.get_object()).value_or("")) : "";
}

// "overlap: its last run … is still active" is "overlap" in a narrow place.
std::string short_reason(const std::string& reason) {
  return reason.substr(0, reason.find(':'));
}

// The reason of an entry, in a table: "filter: filter payload.size lt 10: it does not hold" is
// "payload.size lt 10 does not hold".
std::string say_reason(const std::string& reason) {
  constexpr std::string_view kFilter = "filter: filter ";
  constexpr std::string_view kFails = ": it does not hold";
  constexpr std::string_view kRepeats = "duplicate: of ";
  if (reason.starts_with(kRepeats)) return "repeats " + reason.substr(kRepeats.size());
  if (!reason.starts_with(kFilter)) return reason;
  const std::string rule = reason.substr(kFilter.size());
  if (!rule.ends_with(kFails)) return rule;
  return rule.substr(0, rule.size() - kFails.size()) + " does not hold";
}

// Of an entry, in a table. With the value that did not pass the filter, "payload.size lt 10 does
// not hold" is "payload.size is 2000, not lt 10": a narrow table shows the beginning.
std::string reason_of(const object& entry) {
  constexpr std::string_view kFails = " does not hold";
  const std::string reason = say_reason(text_in(entry, "reason"));
  const boost::json::value* value = entry.if_contains("value");
  const size_t field = reason.find(' ');
  if (value == nullptr || !reason.ends_with(kFails) || field == std::string::npos) return reason;
  const std::string rule = reason.substr(field, reason.size() - field - kFails.size());
  return reason.substr(0, field) + " is " + json_text(*value) + ", not" + rule;
}

// Due, outcome, run, reason.
std::vector<Cell> ledger_row(const object& entry) {
  const auto due = parse_rfc3339(text_in(entry, "due_at"));
  const std::string outcome = text_in(entry, "outcome");
  const auto count = number_in(entry, "count");
  return {{due ? say_local(*due) : ""},
          {outcome + (count ? " ×" + std::to_string(*count) : ""), color_of(outcome)},
          {text_in(entry, "run_id")},
          {clean(reason_of(entry))}};
}

// "paused", "in 5m12s", "on events", "done".
Cell next_of(const object& trigger, WallMs now) {
  const std::string state = text_in(trigger, "state");
  if (state == "paused") return {"paused", Color::yellow};
  if (state == "done") return {"done"};
  const auto next = parse_rfc3339(text_in(trigger, "next_at"));
  if (!next) return {"on events"};
  return {say_distance(*next, now), state == "backoff" ? Color::yellow : Color::none};
}

// "fired 2h ago", "skipped 5m ago: overlap"; with the whole reason where there is space.
Cell last_of(const object& trigger, WallMs now, bool whole = false) {
  const object& last = object_in(trigger, "last");
  if (last.empty()) return {"never"};
  const std::string outcome = text_in(last, "outcome");
  const auto due = parse_rfc3339(text_in(last, "due_at"));
  std::string text = outcome + (due ? " " + say_distance(*due, now) : "");
  std::string reason = clean(text_in(last, "reason"));
  if (!whole) reason = short_reason(reason);
  if (!reason.empty() && outcome != "fired") text += ": " + reason;
  return {text, color_of(outcome)};
}

std::string texts_in(const object& from, std::string_view field) {
  std::string out;
  for (const boost::json::value& text : array_in(from, field)) {
    if (text.is_string()) out += (out.empty() ? "" : ", ") + std::string(text.get_string());
  }
  return out;
}

// The details of the source that `when` leaves out. The secret of a webhook is a place:
// "file:/path" or "env:NAME".
void add_source(Sheet& sheet, const object& source) {
  sheet.line("secret", text_in(source, "secret"));
  sheet.line("selector", text_in(source, "selector"));
  sheet.line("interval", text_in(source, "interval"));
  if (flag_in(source, "allow_private")) sheet.line("addresses", "also private ones");
  sheet.line("changes", texts_in(source, "on"));
  sheet.line("ignore", texts_in(source, "ignore"));
  sheet.line("settle", text_in(source, "settle"));
}

// How its run is started.
void add_run(Sheet& sheet, const object& run) {
  sheet.line("lane", text_in(run, "lane"));
  if (const auto priority = number_in(run, "priority")) {
    sheet.line("priority", std::to_string(*priority));
  }
  std::string labels;
  for (const auto& [name, value] : object_in(run, "labels")) {
    labels += (labels.empty() ? "" : ", ") + std::string(name) + "=" +
              (value.is_string() ? std::string(value.get_string()) : "");
  }
  sheet.line("labels", labels);
  sheet.line("retry", say_retry(run));
  sheet.line("timeout", text_in(run, "timeout"));
  sheet.line("idle timeout", text_in(run, "idle_timeout"));
  sheet.line("grace", text_in(run, "grace"));
  sheet.line("limits", say_limits(run));
}

}  // namespace

std::string command_of_trigger(const object& trigger) {
  const object& run = object_in(trigger, "run");
  if (const std::string shell = text_in(run, "shell"); !shell.empty()) return clean(shell);
  std::string out;
  for (const boost::json::value& word : array_in(run, "command")) {
    out += (out.empty() ? "" : " ") + word_text(word);
  }
  return clean(out);
}

std::string say_value(const object& entry) {
  const boost::json::value* value = entry.if_contains("value");
  return value == nullptr ? "" : "; the value is " + json_text(*value);
}

std::string when_of(const object& trigger) {
  const auto once = parse_rfc3339(text_in(object_in(trigger, "source"), "at"));
  return once ? "once at " + say_local(*once) : clean(text_in(trigger, "when"));
}

bool is_timed(std::string_view type) {
  return type == "cron" || type == "every" || type == "once";
}

std::string say_due(const object& trigger, WallMs due) {
  const std::string zone = text_in(object_in(trigger, "source"), "tz");
  const auto seconds = static_cast<std::time_t>(due / 1'000);
  std::tm local{};
  ::localtime_r(&seconds, &local);
  const bool is_same = zone.empty() || (zone == "UTC" && local.tm_gmtoff == 0);
  return say_local(due) + (is_same ? "" : " local time");
}

std::string triggers_table(const boost::json::array& triggers, const Screen& screen, WallMs now) {
  Table table({"TRIGGER", "WHEN", "NEXT", "LAST", "COMMAND"}, 4);
  table.may_cut(1, 10);
  table.may_leave_out(3);
  for (const boost::json::value& value : triggers) {
    if (!value.is_object()) continue;
    const object& trigger = value.get_object();
    table.add({{text_in(trigger, "name"), Color::bold},
               {when_of(trigger)},
               next_of(trigger, now),
               last_of(trigger, now),
               {command_of_trigger(trigger)}});
  }
  return table.text(screen);
}

std::string ledger_table(const boost::json::array& entries, const Screen& screen) {
  Table table({"TIME", "OUTCOME", "RUN", "REASON"}, 3);
  std::vector<std::string> ids;
  for (const boost::json::value& value : entries) {
    if (!value.is_object()) continue;
    table.add(ledger_row(value.get_object()));
    if (std::string id = text_in(value.get_object(), "run_id"); !id.empty()) {
      ids.push_back(std::move(id));
    }
  }
  table.may_shorten(2, short_id_width(ids));
  table.keep_readable(32);
  return table.text(screen);
}

std::string problem_text(const object& problem) {
  const auto line = number_in(problem, "line");
  const auto column = number_in(problem, "column");
  std::string place = text_in(problem, "file");
  if (line) place += ":" + std::to_string(*line) + ":" + std::to_string(column.value_or(1));
  return clean(place + ": " + text_in(problem, "message"));
}

std::string trigger_page(const Screen& screen, const object& trigger, WallMs now) {
  Sheet sheet(screen, 0, 13);
  const object& run = object_in(trigger, "run");
  const object& totals = object_in(trigger, "totals");
  const auto count = [&](std::string_view name) {
    return std::to_string(number_in(totals, name).value_or(0)) + " " + std::string(name);
  };
  sheet.line("trigger", text_in(trigger, "name"));
  sheet.line("when", when_of(trigger));
  add_source(sheet, object_in(trigger, "source"));
  const Cell next = next_of(trigger, now);
  const auto time = parse_rfc3339(text_in(trigger, "next_at"));
  sheet.line("next", next.text + (time ? " (" + say_due(trigger, *time) + ")" : ""), next.color);
  const Cell last = last_of(trigger, now, true);
  sheet.line("last", last.text, last.color);
  sheet.line("run", text_in(object_in(trigger, "last"), "run_id"));
  for (const boost::json::value& rule : array_in(trigger, "filters")) {
    if (!rule.is_object()) continue;
    const object& one = rule.get_object();
    sheet.line("filter", text_in(one, "field") + " " + text_in(one, "op") + " " +
                             (one.contains("value") ? json_text(one.at("value")) : ""));
  }
  for (const std::string_view field : {"dedup", "missed", "missed_window", "overlap", "jitter"}) {
    sheet.line(field == "missed_window" ? "window" : field, text_in(trigger, field));
  }
  if (const auto errors = number_in(trigger, "errors").value_or(0); errors > 0) {
    const auto until = parse_rfc3339(text_in(trigger, "backoff_until"));
    sheet.line(
        "errors",
        say_count(errors, "run", "runs") + " failed in a row" +
            (until ? "; it fires again " + say_distance(*until, now) + " at the earliest" : ""),
        Color::yellow);
  }
  sheet.line("warning", clean(text_in(trigger, "warning")), Color::yellow);
  sheet.line("command", command_of_trigger(trigger));
  sheet.line("directory", text_in(run, "cwd"));
  std::string names;
  for (const boost::json::value& name : array_in(trigger, "env_names")) {
    if (name.is_string()) names += (names.empty() ? "" : ", ") + std::string(name.get_string());
  }
  sheet.line("variables", names);
  add_run(sheet, run);
  sheet.line("declared in", clean(text_in(trigger, "declared_in")));
  sheet.line("so far", count("fired") + ", " + count("skipped") + ", " + count("coalesced") + ", " +
                           count("missed"));
  return sheet.take();
}

}  // namespace drover::cli
