#include "cli/service/service_unit.h"

#include <unistd.h>

#include <cstdlib>

#include "base/fd.h"
#include "base/home_of.h"

namespace drover::cli {
namespace {

constexpr size_t kUnitBytesMax = 64 * 1024;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// The daemon's directories with these variables. HOME is always set, by systemd too.
Result<Home> home_with(const Variables& variables, const std::string& runtime) {
  return home_of([&](const char* name) {
    for (const auto& [given, value] : variables) {
      if (given == name) return value;
    }
    const std::string_view other = name;
    return other == "HOME" ? variable("HOME") : other == "XDG_RUNTIME_DIR" ? runtime : "";
  });
}

}  // namespace

Variables home_variables() {
  Variables out;
  for (const char* name : kHomeVariables) {
    // Relative paths are ignored, as in the daemon.
    if (std::string value = variable(name); value.starts_with('/')) out.emplace_back(name, value);
  }
  return out;
}

Result<std::string> unit_path() {
  const std::string config = variable("XDG_CONFIG_HOME");
  if (config.starts_with('/')) return config + "/systemd/user/" + std::string(kUnitName);
  const std::string home = variable("HOME");
  if (home.starts_with('/')) return home + "/.config/systemd/user/" + std::string(kUnitName);
  return fail_invalid(
      "HOME", "HOME is not set to a directory, so there is no place for the unit; set HOME");
}

std::string script_path(const Home& home) {
  return home.config + "/start-daemon";
}

bool starts_with_machine(const Home& home) {
  return unit_serves(home_variables()) || ::access(script_path(home).c_str(), F_OK) == 0;
}

ProgramEnd systemctl(std::vector<std::string> words, std::int64_t timeout_ms) {
  words.insert(words.begin(), {"systemctl", "--user"});
  return run_program(std::move(words), timeout_ms);
}

bool unit_serves(const Variables& variables) {
  const Result<std::string> path = unit_path();
  if (!path) return false;
  const auto text = read_file(*path, kUnitBytesMax);
  if (!text) return false;
  // systemd sets a runtime directory for services that have no other.
  const auto theirs = home_with(unit_variables(*text), "/run/user/" + std::to_string(::geteuid()));
  const auto ours = home_with(variables, "");
  return theirs && ours && theirs->config == ours->config && theirs->state == ours->state &&
         theirs->runtime == ours->runtime;
}

}  // namespace drover::cli
