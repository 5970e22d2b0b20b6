// Settings of the daemon that apply to all runs it starts.
#pragma once

#include <cstdint>
#include <string>

#include "dispatch/run_command.h"
#include "process/cgroup.h"
#include "run/kind.h"

namespace drover::dispatch {

struct Settings {
  std::string keeper_program;
  std::uint32_t umask = 022;          // For commands: that of the user who started the daemon.
  std::uint64_t descriptors_max = 0;  // The same for open files; 0: the daemon's.
  process::CgroupPlace cgroups = {};  // For runs with resource limits.
  TokenOf token_of = {};
  const run::Kinds* kinds = &run::only_commands();  // Must outlive the dispatcher.
};

}  // namespace drover::dispatch
