// A cgroup enforces the resource limits of one run for all of its processes together, and measures
// what they use. Only runs with resource limits have one, and only where Drover owns a subtree of
// cgroups (version 2); otherwise there is none, and CgroupPlace says why.
//
//   <our own cgroup>/
//     daemon/            droverd and the keepers: a cgroup with children cannot have processes
//     drover-<home>/     one per home
//       <run id>/        one per run; the keeper creates and removes it
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/journal.h"
#include "base/resource_limits.h"

namespace drover::process {

// Where the cgroups of runs are created. Empty: nowhere, and `why_not` says why.
struct CgroupPlace {
  std::string directory;
  Controllers controllers = {};
  std::string why_not = {};
};

// The directory of our own cgroup; empty where there is no cgroup v2.
std::string own_cgroup();

// For the daemon: prepares a place for runs below `own`. If `own` must be empty for that, this
// process and other programs of Drover move into a leaf of it; other programs stay where they are.
CgroupPlace prepare_cgroups(const std::string& own, std::string_view home_name);

// Kills the processes that a keeper left in a cgroup, then removes it and the groups that the
// command created in it. Waits for that for at most a tenth of a second. Succeeds if it is missing.
void clear_cgroup(const std::string& place, std::string_view run);

// The same without waiting: tries once to remove it and kills what is still in it. Returns whether
// it is removed.
bool try_to_clear_cgroup(const std::string& place, std::string_view run);

// The names of the cgroups there.
std::vector<std::string> cgroups_in(const std::string& place);

class RunCgroup {
 public:
  RunCgroup() = default;
  RunCgroup(RunCgroup&&) = default;
  RunCgroup& operator=(RunCgroup&&) = default;

  // Creates the cgroup `run` below `place`. Returns what it enforces: `none` for a limit that could
  // not be set.
  LimitEnforcement make(const char* place, const char* run, const ResourceLimits& limits);
  bool is_there() const { return static_cast<bool>(directory_); }
  // A process that writes "0" to it joins the cgroup. -1: there is no cgroup.
  int entry() const { return entry_.get(); }

  bool ran_out_of_memory() const;
  // Kills everything in it with one call; the sweep then does the same process by process.
  void kill() const;
  // Adds what all of them used together, as far as the kernel knows.
  void add_to(UsageRecord& usage) const;
  // With the groups that the command created in it, and any process that is still in one of them.
  void remove();

 private:
  bool set(const char* file, std::string_view value) const;
  std::string get(const char* file) const;

  Fd directory_, entry_;
  std::string path_;
};

// Parses cgroup.controllers or cgroup.subtree_control.
Controllers parse_controllers(std::string_view text);

}  // namespace drover::process
