#include "cli/service_unit.h"

#include <cstdlib>

#include "base/fd.h"

namespace drover::cli {
namespace {

constexpr size_t kUnitBytesMax = 64 * 1024;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string environment_lines(std::string_view unit) {
  std::string out;
  while (!unit.empty()) {
    const std::string_view line = unit.substr(0, unit.find('\n'));
    if (line.starts_with("Environment=")) out.append(line).append("\n");
    unit.remove_prefix(std::min(unit.size(), line.size() + 1));
  }
  return out;
}

}  // namespace

Variables home_variables() {
  Variables out;
  for (const char* name : kHomeVariables) {
    // Relative ones count for nothing, here and for the daemon.
    if (std::string value = variable(name); value.starts_with('/')) out.emplace_back(name, value);
  }
  return out;
}

Result<std::string> unit_path() {
  const std::string config = variable("XDG_CONFIG_HOME");
  if (config.starts_with('/')) return config + "/systemd/user/" + std::string(kUnitName);
  const std::string home = variable("HOME");
  if (home.starts_with('/')) return home + "/.config/systemd/user/" + std::string(kUnitName);
  return fail_invalid("HOME", "HOME names no folder, so there is no place for a unit; set it");
}

ProgramEnd systemctl(std::vector<std::string> words, std::int64_t patience_ms) {
  words.insert(words.begin(), {"systemctl", "--user"});
  return run_program(std::move(words), patience_ms);
}

bool unit_serves(const Variables& variables) {
  const Result<std::string> path = unit_path();
  if (!path) return false;
  const auto text = read_file(*path, kUnitBytesMax);
  return text && environment_lines(*text) == environment_lines(unit_text("", variables));
}

}  // namespace drover::cli
