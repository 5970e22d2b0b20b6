// The daemon's own log: one line a decision, ids first, never an environment value. The only file
// that knows spdlog.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace drover::log {

enum class Level { debug, info, warn, error };

// To `path`, or to standard error if it is empty. Before this is called nothing is written.
void open(const std::string& path, Level level);

void write(Level level, std::string_view line);

template <class... Args>
void info(fmt::format_string<Args...> format, Args&&... args) {
  write(Level::info, fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void warn(fmt::format_string<Args...> format, Args&&... args) {
  write(Level::warn, fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void error(fmt::format_string<Args...> format, Args&&... args) {
  write(Level::error, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace drover::log
