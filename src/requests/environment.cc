#include "requests/environment.h"

#include <algorithm>
#include <array>

#include "run/plain_values.h"
#include "run/secrets.h"

namespace drover::requests {
namespace {

constexpr auto kWithheld = std::to_array<std::string_view>(
    {"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "OPENCLAW_GATEWAY_TOKEN",
     "OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"});

// The path that execvp searches if PATH is not set.
constexpr std::string_view kUsualPath = "/usr/local/bin:/usr/bin:/bin";

std::string_view name_of(std::string_view variable) {
  return variable.substr(0, variable.find('='));
}

bool lists(std::string_view path, std::string_view directory) {
  while (true) {
    const size_t colon = path.find(':');
    if (path.substr(0, colon) == directory) return true;
    if (colon == std::string_view::npos) return false;
    path.remove_prefix(colon + 1);
  }
}

}  // namespace

bool is_withheld(std::string_view name) {
  if (name.starts_with("DROVER_")) return name != "DROVER_HOME" && name != run::kSecretNames;
  return std::ranges::find(kWithheld, name) != kWithheld.end();
}

std::vector<std::string> inheritable(std::vector<std::string> environment) {
  std::erase_if(environment, [](const std::string& variable) {
    const std::string_view name = name_of(variable);
    return name.empty() || name.size() == variable.size() || is_withheld(name);
  });
  return environment;
}

std::vector<std::string> compose(const std::vector<std::string>& inherited,
                                 const std::map<std::string, std::string>& added,
                                 std::string_view programs) {
  std::vector<std::string> out;
  out.reserve(inherited.size() + added.size() + 4);  // The dispatcher adds a few variables.
  std::string path;
  bool has_path = false;
  const auto add = [&](std::string_view name, std::string_view value) {
    if (name == "PATH") {
      path = value;
      has_path = true;
      return;
    }
    std::string variable;
    variable.reserve(name.size() + value.size() + 1);
    out.push_back(std::move(variable.append(name).append("=").append(value)));
  };
  for (const std::string& variable : inherited) {
    const std::string_view name = name_of(variable);
    if (added.contains(std::string(name))) continue;
    add(name, std::string_view(variable).substr(name.size() + 1));
  }
  for (const auto& [name, value] : added) add(name, value);
  if (!has_path) path = kUsualPath;
  if (!programs.empty() && !lists(path, programs)) {
    path.append(path.empty() ? "" : ":").append(programs);
  }
  out.push_back("PATH=" + path);
  return out;
}

void note_given(const std::vector<std::string>& inherited,
                std::map<std::string, std::string>& added) {
  const std::string variable(run::kSecretNames);
  std::string names;
  const auto note = [&](std::string_view more) {
    if (!more.empty()) names.append(names.empty() ? "" : ",").append(more);
  };
  for (const auto& [name, value] : added) {
    if (name == variable) {
      note(value);
    } else if (!run::is_plain_value(value)) {
      note(name);
    }
  }
  if (names.empty()) return;
  for (const std::string& each : inherited) {
    if (name_of(each) == variable) note(std::string_view(each).substr(variable.size() + 1));
  }
  added[variable] = std::move(names);
}

}  // namespace drover::requests
