// Finds the cgroups of a home without its daemon: for the verifier, which may run in another cgroup
// than the daemon did, and for what a dead daemon left.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace drover::process {

// A short name of a home, by its state directory, for its cgroup place: several homes may share the
// parent cgroup.
std::string place_name(std::string_view state);

// The cgroup places of that name, wherever they are below `root`. Gives up where there are too many
// cgroups to look at.
std::vector<std::string> find_places(const std::string& root, std::string_view name);

// The kernel's word that there are processes in a cgroup or below it.
bool is_populated(const std::string& cgroup);

// Whether this process is a keeper that creates its cgroups in `place`: a pid may be reused, also
// by a keeper of another home. A process may change what this looks at; then its cgroup is left
// alone.
bool is_keeper_of(std::int32_t pid, const std::string& place);

}  // namespace drover::process
