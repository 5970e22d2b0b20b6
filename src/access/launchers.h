// Launchers are what starts runs besides people and commands: projects, triggers, apps, sessions of
// agents, batches. A launcher's runs are in its scope, `app/NAME`, and the scope is how a run's
// permanent status names its source (H2). So only the launcher may use that scope: the rooms of the
// daemon, and callers with a token for it (access::scope_for).
#pragma once

#include <array>
#include <string_view>

namespace drover::access {

inline constexpr auto kLaunchers =
    std::to_array<std::string_view>({"project", "trigger", "app", "session", "batch"});

// The kind of the launcher that a scope belongs to. Empty: it belongs to none.
constexpr std::string_view launcher_of(std::string_view scope) {
  const size_t slash = scope.find('/');
  for (const std::string_view kind : kLaunchers) {
    if (slash != std::string_view::npos && scope.substr(0, slash) == kind) return kind;
  }
  return {};
}

}  // namespace drover::access
