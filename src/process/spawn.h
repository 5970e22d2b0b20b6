// Spawning is the step from a loaded command to a running process: a child that shares the
// keeper's memory until it has exec'd, so that a failed step is known at once, by name.
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

// What is laid on the command before it is exec'd.
struct Bounds {
  int cgroup_entry = -1;         // -1: it stays in its keeper's.
  std::uint64_t data_bytes = 0;  // 0: as it is.
  int nice = 0;                  // 0: as it is.
};

struct Spawned {
  std::int32_t pid = 0;  // 0 if a step failed.
  LaunchStep failed_step = LaunchStep::none;
  int error_number = 0;
};

// The command leads a session and a group of its own, has default signals and nothing open but its
// three descriptors, and is killed if its keeper dies. Returns once it has been exec'd, or failed.
Spawned spawn(const LoadedCommand& command, const Stdio& stdio, const Bounds& bounds = {});

}  // namespace drover::process
