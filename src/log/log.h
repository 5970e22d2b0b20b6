// The daemon's own log: one line per decision, never the value of an environment variable. On a
// terminal a line is text for people; elsewhere it is a JSON object for log collectors. spdlog
// does the writing.
//
//   2026-11-15T09:58:26.123+0000 W run_01kabc…: launch_failed: there is no program `mkae`
//   {"time":"2026-11-15T09:58:26.123Z","level":"warn","run_id":"run_01kabc…","trace_id":"019a…",
//    "message":"launch_failed: …"}
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/id.h"

namespace drover::log {

enum class Level { debug, info, warn, error };
enum class Form { text, json };

// Writes to `path`, or to standard error if it is empty. Before this call nothing is written.
void open(const std::string& path, Level level);

// The run a line is about; empty: none. Borrowed for the call.
struct About {
  About() = default;
  About(const RunId& run) : run_id(run.view()) {}  // NOLINT: a run is what most lines are about.
  About(const RunId& run, std::string_view trace) : run_id(run.view()), trace_id(trace) {}
  std::string_view run_id;
  std::string_view trace_id;
};

void write(Level level, const About& about, std::string_view line);

// A line as it is written; a text line comes without time and level. Pure.
std::string line_of(Form form, Level level, const About& about, std::string_view text, WallMs now);

template <class... Args>
void info(fmt::format_string<Args...> format, Args&&... args) {
  write(Level::info, {}, fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void warn(fmt::format_string<Args...> format, Args&&... args) {
  write(Level::warn, {}, fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void error(fmt::format_string<Args...> format, Args&&... args) {
  write(Level::error, {}, fmt::format(format, std::forward<Args>(args)...));
}

// The same about a run.
template <class... Args>
void warn(const About& about, fmt::format_string<Args...> format, Args&&... args) {
  write(Level::warn, about, fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void error(const About& about, fmt::format_string<Args...> format, Args&&... args) {
  write(Level::error, about, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace drover::log
