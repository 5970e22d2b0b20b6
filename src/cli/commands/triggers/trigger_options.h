// The options of `drover trigger add` and `drover trigger edit`, each with the field of the API
// that it sets.
#pragma once

#include <array>
#include <string_view>

#include "cli/command.h"

namespace drover::cli {

inline constexpr std::string_view kWhen = "When it fires";
inline constexpr std::string_view kWhether = "Whether it fires";
inline constexpr std::string_view kRun = "The run";
inline constexpr std::string_view kLimits = "Limits of the run";

inline constexpr auto kTriggerOptions = std::to_array<Option>({
    {"cron", 0, Takes::text, "EXPR", "At the times of a cron expression, such as '0 3 * * *'",
     "source.cron", kWhen},
    {"tz", 0, Takes::text, "ZONE", "With --cron: its time zone (default UTC)", "source.tz", kWhen},
    {"every", 0, Takes::text, "DURATION", "At this interval, at least 10s", "source.every", kWhen},
    {"at", 0, Takes::text, "TIME",
     "Once: at 18:00 or '2026-12-24 18:00', local unless it names a zone; or 2h, in two hours",
     "source.at", kWhen},
    {"on", 0, Takes::text, "EVENT", "On events of this type, such as run.failed or deploy.*",
     "source.on", kWhen},
    {"file", 0, Takes::many, "GLOB",
     "When matching files below the current directory change; may be repeated", "source.globs",
     kWhen},
    {"root", 0, Takes::text, "DIR", "With --file: the directory to watch", "source.root", kWhen},
    {"change", 0, Takes::many, "KIND",
     "With --file: only created, changed, deleted or moved; may be repeated", "source.on", kWhen},
    {"ignore", 0, Takes::many, "PATTERN",
     "With --file: ignore these, as in a .gitignore; may be repeated", "source.ignore", kWhen},
    {"settle", 0, Takes::text, "DURATION",
     "With --file: wait until a file has not changed for this long (default 500ms)",
     "source.settle", kWhen},
    {"webhook", 0, Takes::text, "PATH", "When a signed request to /hooks/PATH arrives",
     "source.path", kWhen},
    {"secret-file", 0, Takes::text, "FILE", "With --webhook: a private file with its secret",
     "source.secret", kWhen},
    {"secret-env", 0, Takes::text, "NAME",
     "With --webhook: a variable of the daemon with its secret", "source.secret", kWhen},
    {"feed", 0, Takes::text, "URL", "When an RSS or Atom feed has a new item", "source.url", kWhen},
    {"page", 0, Takes::text, "URL", "When the text of a web page changes; requires --selector",
     "source.url", kWhen},
    {"selector", 0, Takes::text, "CSS", "With --page: which elements, such as '#news li'",
     "source.selector", kWhen},
    {"interval", 0, Takes::text, "DURATION", "With --feed or --page: how often (default 15m)",
     "source.interval", kWhen},
    {"allow-private", 0, Takes::nothing, "",
     "With --feed or --page: also addresses of this machine and its network",
     "source.allow_private", kWhen},
    {"missed", 0, Takes::text, "once|skip|all",
     "Due times that were missed: run once (default), skip them, or run all", "missed", kWhether},
    {"missed-window", 0, Takes::text, "DURATION",
     "With --missed all: how old a missed time may be (default 3d)", "missed_window", kWhether},
    {"jitter", 0, Takes::text, "DURATION", "Delay each time by up to this much", "jitter",
     kWhether},
    {"overlap", 0, Takes::text, "skip|queue|replace",
     "If its last run is still active: skip (default), wait for it, or cancel it", "overlap",
     kWhether},
    {"filter", 0, Takes::many, "RULE",
     "Fire only on events for which this holds, such as 'payload.size lt 1000'; may be repeated",
     "filters", kWhether},
    {"dedup", 0, Takes::text, "DURATION", "Drop events with the same key within this time", "dedup",
     kWhether},
    {"cwd", 0, Takes::text, "DIR", "Run in this directory (default: the current one)", "run.cwd",
     kRun},
    {"env", 'e', Takes::many, "K=V", "Set a variable, whose value is never shown; may be repeated",
     "run.env", kRun},
    {"env-file", 0, Takes::many, "FILE", "Set the variables in FILE, as --env; may be repeated", "",
     kRun},
    {"shell", 0, Takes::nothing, "", "Run the words as a script with `/bin/sh -c`", "run.shell",
     kRun},
    {"lane", 0, Takes::text, "LANE", "Queue to wait in (default: the lane `default`)", "run.lane",
     kRun},
    {"priority", 0, Takes::text, "N", "Higher starts first within the lane (default 0)",
     "run.priority", kRun},
    {"label", 'l', Takes::many, "K=V", "Label to find its runs by; may be repeated", "run.labels",
     kRun},
    {"retry", 0, Takes::text, "N", "Try a failed run again up to N times", "run.retry.max", kRun},
    {"backoff", 0, Takes::text, "DURATION",
     "Wait before the first retry, then twice as long each time (default 1s)", "run.retry.backoff",
     kRun},
    {"retry-on", 0, Takes::text, "LIST",
     "States to retry: failed, timed_out, abandoned (default failed,timed_out)", "run.retry.on",
     kRun},
    {"timeout", 0, Takes::text, "DURATION", "Stop a run after this time, such as 90s or 1h30m",
     "run.timeout", kLimits},
    {"idle-timeout", 0, Takes::text, "DURATION", "Stop a run after this time without output",
     "run.idle_timeout", kLimits},
    {"grace", 0, Takes::text, "DURATION", "Time between TERM and KILL (default 2s)", "run.grace",
     kLimits},
    {"memory", 0, Takes::text, "SIZE", "Memory limit, such as 512M or 1.5G (1G is 1024M)",
     "run.limits.memory", kLimits},
    {"cpus", 0, Takes::text, "N", "Limit in cores, such as 1.5", "run.limits.cpus", kLimits},
    {"pids", 0, Takes::text, "N", "Limit of processes and threads", "run.limits.pids", kLimits},
    {"nice", 0, Takes::text, "N", "Niceness, up to 19: let other programs run first",
     "run.limits.nice", kLimits},
    {"output-limit", 0, Takes::text, "SIZE", "Store only the first and last part of longer output",
     "run.limits.output", kLimits},
});

// The same options for `edit`, where an option that is not given changes nothing.
inline constexpr auto kTriggerEditOptions = [] {
  auto out = kTriggerOptions;
  for (Option& option : out) {
    if (option.name == "tz") option.help = "The time zone of the cron expression";
    if (option.name == "missed") option.help = "Missed due times: run once, skip them, or run all";
    if (option.name == "overlap") {
      option.help = "If its last run is still active: skip, wait for it, or cancel it";
    }
    option.help = option.help.substr(0, option.help.find(" (default"));
  }
  return out;
}();

}  // namespace drover::cli
