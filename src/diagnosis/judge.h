// Judging a scene: what a run is stuck at, or that it is not stuck at all, each with its evidence.
// Pure: facts in, findings out. Findings are hints by nature, so each says what was seen.
#pragma once

#include <string>
#include <vector>

#include "diagnosis/scene.h"

namespace drover::diagnosis {

struct Finding {
  std::string kind;           // One of kKinds.
  std::string text;           // A sentence: what it is, and what can be done.
  std::int32_t pid = 0;       // Whom it is about; 0: all of it.
  std::string evidence = {};  // What was seen: state, call, descriptor, place in the kernel.
  WallMs since = 0;           // 0: not known.
};

// What a finding can be about, the most telling first: findings come in this order.
inline constexpr const char* kKinds[] = {
    "ending",  // The command has exited; what it started is being ended.
    "keeper_stopped",
    "stopped",  // By a signal (state T).
    "traced",   // By a debugger (state t).
    "uninterruptible",
    "lock",            // Waits for a lock on a file.
    "deadlock",        // Every thread waits for another one.
    "output_blocked",  // Its output is not being taken.
    "reads_stdin",
    "socket",
    "pipe",        // Waits for another process at a pipe.
    "file",        // Waits for something else that is open: a fifo, a device.
    "sleeping",    // Sleeps by its own will.
    "dead_child",  // A child that has ended and was not waited for.
    "busy",
    "quiet",   // No CPU, and nothing printed since.
    "unseen",  // Nothing could be told.
};

std::vector<Finding> judge(const Scene& scene);

}  // namespace drover::diagnosis
