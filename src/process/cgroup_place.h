// A cgroup place is the directory in which the cgroups of runs are created: a subtree of cgroup v2
// that Drover owns. Every command is in a cgroup of it: without resource limits in that of its
// keeper, otherwise in one of its own. Where there is no place, there are no cgroups, and
// `why_not` says why.
//
//   <our own cgroup>/
//     daemon/               droverd and the keepers, if a controller is used: then a cgroup with
//                           children cannot have processes
//     drover-<home>/        the place: one per home
//       keeper-<pid>-<hex>/ one per keeper; it is used for one command after another
//       <run id>/           one per run with resource limits
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/resource_limits.h"

namespace drover::process {

struct CgroupPlace {
  std::string directory;         // Empty: there is none.
  Controllers controllers = {};  // None: processes are contained, but limits are not enforced.
  std::string why_not = {};      // Why there is no place, or no controller.
};

// Where cgroup v2 is mounted; empty: nowhere.
std::string cgroup_root();

// The directory of our own cgroup; empty where there is no cgroup v2.
std::string own_cgroup();

// For the daemon: prepares a place for runs below `own`. If `own` must be empty for that, this
// process and other programs of Drover move into a leaf of it; other programs stay where they are.
CgroupPlace prepare_cgroups(const std::string& own, std::string_view home_name);

// Creates the place, with the controllers that its parent enables. Also for a keeper: the cradle of
// an earlier daemon may have removed the place.
bool make_place(const std::string& directory);

// Kills the processes in a cgroup, then removes it and the groups that the command created in it.
// Waits for that for at most a tenth of a second. Succeeds if it is missing.
void clear_cgroup(const std::string& place, std::string_view name);

// The same without waiting: tries once to remove it and kills what is still in it. Returns whether
// it is removed.
bool try_to_clear_cgroup(const std::string& place, std::string_view name);

// The names of the cgroups there.
std::vector<std::string> cgroups_in(const std::string& place);

// The name of the cgroup with that id (MarksRecord); empty: there is none.
std::string cgroup_with_id(const std::string& place, std::uint64_t id);

// The id of the cgroup of a run that a process is in, or below; 0: it is in none. `process` is its
// directory in /proc.
std::uint64_t cgroup_id_of(const std::string& process);

// The pid in the name of a keeper's cgroup; 0: it is not one.
std::int32_t keeper_of_cgroup(std::string_view name);

// Parses cgroup.controllers or cgroup.subtree_control.
Controllers parse_controllers(std::string_view text);

}  // namespace drover::process
