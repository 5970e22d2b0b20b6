// A Finding is one reason why a run is stuck, or the statement that it is not stuck, with the
// observed facts. Pure: maps a scene to findings. A finding is an educated guess, so each names
// what it was made from.
#pragma once

#include <string>
#include <vector>

#include "diagnosis/scene.h"

namespace drover::diagnosis {

struct Finding {
  std::string kind;           // One of kKinds.
  std::string text;           // A sentence: what it is, and what can be done.
  std::int32_t pid = 0;       // The process; 0: the whole run.
  std::string evidence = {};  // The observed state, call, descriptor, kernel function.
  WallMs since = 0;           // 0: unknown.
};

// The kinds of findings, most important first. Findings are sorted in this order.
inline constexpr const char* kKinds[] = {
    "ending",  // The command has exited; the processes it left are being killed.
    "keeper_stopped",
    "stopped",  // By a signal (state T).
    "traced",   // By a debugger (state t).
    "uninterruptible",
    "lock",            // Waits for a file lock.
    "deadlock",        // Every thread waits for another one.
    "output_blocked",  // Nobody reads its output.
    "reads_stdin",
    "socket",
    "pipe",        // Waits for another process at a pipe.
    "file",        // Waits for another open file: a fifo, a device.
    "sleeping",    // Sleeps by its own choice.
    "dead_child",  // A zombie child that its parent has not waited for.
    "busy",
    "quiet",   // Uses no CPU and prints nothing.
    "unseen",  // Its activity cannot be observed.
};

std::vector<Finding> judge(const Scene& scene);

}  // namespace drover::diagnosis
