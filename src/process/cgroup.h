// A cgroup holds the limits of one run for all of its processes together, and knows what they have
// used. It is made for runs that ask for limits only, where Drover was given a part of the tree of
// cgroups (version 2) to itself; else there is none, and that is said.
//
//   <our own cgroup>/daemon            droverd and the keepers: who has children may have no
//   process <our own cgroup>/drover-<home>/    one directory a home
//       <run id>/                      one a run; the keeper makes and removes it
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/journal.h"
#include "base/resource_limits.h"

namespace drover::process {

// Where the cgroups of runs are made. Empty: nowhere, and `why_not` says why.
struct CgroupPlace {
  std::string directory;
  Controllers controllers = {};
  std::string why_not = {};
};

// The directory of our own cgroup; empty where there is no cgroup v2.
std::string own_cgroup();

// Makes a place for runs below `own`, on the daemon's side. If that needs `own` to be empty, this
// process and other programs of Drover move into a leaf of it; strangers stay where they are.
CgroupPlace prepare_cgroups(const std::string& own, std::string_view home_name);

// Ends and removes what a keeper left behind, and the groups that the command made in it; waits for
// that, for a tenth of a second at most. Missing is fine.
void clear_cgroup(const std::string& place, std::string_view run);

// The same without waiting: one try, and what is still in it is killed. Whether it is gone now.
bool try_to_clear_cgroup(const std::string& place, std::string_view run);

// The names of the cgroups there.
std::vector<std::string> cgroups_in(const std::string& place);

class RunCgroup {
 public:
  RunCgroup() = default;
  RunCgroup(RunCgroup&&) = default;
  RunCgroup& operator=(RunCgroup&&) = default;

  // Makes the cgroup `run` below `place`. Says what it holds: what could not be set is `none`.
  LimitEnforcement make(const char* place, const char* run, const ResourceLimits& limits);
  bool is_there() const { return static_cast<bool>(directory_); }
  // Whoever writes "0" to it is in. -1: there is no cgroup.
  int entry() const { return entry_.get(); }

  bool ran_out_of_memory() const;
  // Ends everything in it with one call; what the sweep does once more by itself.
  void kill() const;
  // What all of them used together, as far as the kernel tells.
  void add_to(UsageRecord& usage) const;
  // With the groups that the command made in it, and whatever hides in one of them.
  void remove();

 private:
  bool set(const char* file, std::string_view value) const;
  std::string get(const char* file) const;

  Fd directory_, entry_;
  std::string path_;
};

// What cgroup.controllers, or cgroup.subtree_control, says.
Controllers parse_controllers(std::string_view text);

}  // namespace drover::process
