// A cgroup contains the processes of one command: no process leaves it by a fork, one write kills
// all of them, and the kernel says when it is empty. It can also limit what they use together, and
// measure it. See cgroup_place.h for where it is.
//
// A keeper has one for commands without resource limits and uses it again as long as it became
// empty by itself. A cgroup that was killed is never used again: a kernel may kill what is started
// in it later. A cgroup with limits is for one command, because its counters only grow.
#pragma once

#include <cstdint>
#include <string>

#include "base/fd.h"
#include "base/journal.h"
#include "base/resource_limits.h"

namespace drover::process {

class Cgroup {
 public:
  Cgroup() = default;
  Cgroup(Cgroup&&) = default;
  Cgroup& operator=(Cgroup&&) = default;

  // Creates it below `place`, which may be null or empty: nowhere. False: there is none.
  bool make(const char* place, const std::string& name);
  // The same for this process, which is a keeper. Does nothing if there is one already.
  bool make_for_keeper(const char* place);
  // Returns what it enforces: `none` for a limit that could not be set.
  LimitEnforcement limit(const ResourceLimits& limits) const;

  bool is_there() const { return static_cast<bool>(directory_); }
  int directory() const { return directory_.get(); }  // -1: there is none.
  std::uint64_t id() const { return id_; }            // Its inode. 0: there is none.
  // A process that writes "0" to it joins the cgroup.
  int entry() const { return entry_.get(); }

  // False: the kernel does not say whether it is empty.
  bool knows_emptiness() const { return static_cast<bool>(events_); }
  // The kernel's word that no process is in it or below it. A process that was just reaped may
  // still count: waits a moment for that.
  bool is_empty() const;
  // Empty, never killed, without groups below it.
  bool can_be_used_again() const;
  bool ran_out_of_memory() const;
  // Kills everything in it with one call; the sweep then does the same process by process.
  void kill();
  // Adds what all of them used together, as far as the kernel knows.
  void add_to(UsageRecord& usage) const;
  // With the groups that the command created in it, and any process that is still in one of them.
  void remove();

 private:
  bool set(const char* file, std::string_view value) const;
  std::string get(const char* file) const;
  bool says_empty() const;

  Fd directory_, entry_, events_;
  std::string path_;
  std::uint64_t id_ = 0;
  bool was_killed_ = false;
};

}  // namespace drover::process
