// Spawning turns a loaded command into a running process. The child shares the keeper's memory
// until it has exec'd, so a step that fails is known at once, by name.
#pragma once

#include "base/journal.h"
#include "process/command.h"

namespace drover::process {

// The command's ends of its pipes.
struct Stdio {
  int in = -1;
  int out = -1;
  int err = -1;
  bool terminal = false;  // `in` is a pty, and becomes the terminal of the command's session.
};

// Restrictions that are set before the exec.
struct Bounds {
  int cgroup = -1;               // The directory of its cgroup. -1: it stays in its keeper's.
  int cgroup_entry = -1;         // How it joins that cgroup if it cannot be started in it.
  bool needs_cgroup = false;     // A limit depends on it: without the cgroup it does not start.
  std::uint64_t data_bytes = 0;  // 0: unchanged.
  int nice = 0;                  // 0: unchanged.
};

struct Spawned {
  std::int32_t pid = 0;  // 0 if a step failed.
  bool in_cgroup = false;
  LaunchStep failed_step = LaunchStep::none;
  int error_number = 0;
};

// The command leads a session and a group of its own, has default signals and only its three
// descriptors, and is killed if its keeper dies. Returns once it has been exec'd, or has failed.
Spawned spawn(const LoadedCommand& command, const Stdio& stdio, const Bounds& bounds = {});

}  // namespace drover::process
