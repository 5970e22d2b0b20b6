// A launcher is a thing that starts runs besides people and commands: a project, a trigger, an app,
// a session of an agent, a batch. A launcher's runs are in its scope, `app/NAME`, and a run's
// permanent status takes the run's source from that scope (H2). So only the launcher may use it:
// the rooms of the daemon, and callers with a token for it (access::scope_for).
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
