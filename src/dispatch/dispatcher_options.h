// DispatcherOptions apply to all runs that one daemon starts. The settings that people store are
// config::Settings.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "dispatch/launch/run_command.h"
#include "process/cgroup_place.h"
#include "run/kind.h"

namespace drover::dispatch {

// Clients that pass on every byte of a run's output (queries/exact_readers.h).
struct ExactOutput {
  // Whether the run may still have one; not set: yes.
  std::function<bool(const RunId&)> may_have_reader = {};
  // The run has finished, and its output beyond the limit may wait for one.
  std::function<void(const RunId&)> may_remain = {};
};

struct DispatcherOptions {
  std::string keeper_program;
  std::uint32_t umask = 022;          // For commands: that of the user who started the daemon.
  std::uint64_t descriptors_max = 0;  // The same for open files; 0: the daemon's.
  process::CgroupPlace cgroups = {};  // Of the runs.
  // The daemon's process has no other children than cradles, keepers and what they leave.
  bool adopts_orphans = false;
  TokenOf token_of = {};
  ExactOutput exact_output = {};
  const run::Kinds* kinds = &run::only_commands();  // Must outlive the dispatcher.
};

}  // namespace drover::dispatch
