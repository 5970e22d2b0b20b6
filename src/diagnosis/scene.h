// A Scene is what the kernel says at one moment of a run that is under way: its processes, what
// each of them waits for, and what they have used. Facts only; what they mean is said by judge.h,
// and where they come from is known by look.h alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"

namespace drover::diagnosis {

// What an open descriptor leads to.
struct Target {
  int fd = -1;
  std::string name;         // "pipe:[4711]", "socket:[12]", a path; empty: it may not be looked at.
  std::string detail = {};  // Of a socket: its protocol and its two ends.
};

// A system call that a thread is blocked in.
struct Call {
  std::string name;                  // "read"; "syscall 999" if we do not know it.
  std::vector<Target> targets = {};  // What it waits for, as far as that can be told.
};

struct Thread {
  std::int32_t tid = 0;
  char state = '?';
  std::string wchan = {};         // Where in the kernel it sleeps; empty: not told.
  std::optional<Call> call = {};  // Nothing: it runs, or we may not look.
};

struct Process {
  std::int32_t pid = 0;
  std::int32_t parent = 0;
  std::string name;
  char state = '?';
  std::vector<Thread> threads = {};  // The first is the process's own.
  std::int64_t thread_count = 1;     // Of all, also those that were not looked at.
  std::vector<Target> pipes = {};    // Every pipe it holds.
  std::int64_t cpu_ms = 0;           // Of itself and of the children it has waited for.
  std::int64_t rss_bytes = 0;
  std::optional<std::int64_t> read_bytes = {}, written_bytes = {};  // From and to disks.
};

// Somebody who waits for a lock on a file, and who has it.
struct LockWait {
  std::int32_t waiter = 0;
  std::string kind;         // "flock", "posix", "ofd"
  std::int32_t holder = 0;  // 0: the kernel does not say whose it is.
  std::string holder_name = {};
};

struct Scene {
  std::vector<Process> processes;  // Parents before children. Not the keeper.
  std::int32_t leader = 0;
  std::int32_t keeper = 0;
  char keeper_state = '?';
  std::vector<Target> keeper_pipes = {};  // Our ends of its standard input, output and error.
  std::vector<LockWait> locks = {};
  bool leader_has_exited = false;  // Its status is on record; what it left behind is being ended.
  WallMs now = 0;
  WallMs started_at = 0;
  WallMs printed_at = 0;  // When it last printed something; 0: never.
  std::int64_t output_bytes = 0;
  std::int64_t sampled_ms = 0;  // How far the two looks were apart; 0: there was only one.
  std::int64_t cpu_ms_between = 0;
  size_t left_out = 0;  // Processes beyond the bound.
  bool blind = false;   // What they wait for could not be read.
};

// What all processes of a scene have used so far, and hold now. What had ended before, and was not
// waited for by one of them, is in none of these.
struct Usage {
  std::int64_t processes = 0;
  std::int64_t cpu_ms = 0;
  std::int64_t rss_bytes = 0;
  std::optional<std::int64_t> read_bytes = {}, written_bytes = {};
};
Usage usage_of(const Scene& scene);

}  // namespace drover::diagnosis
