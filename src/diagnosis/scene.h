// A Scene is a snapshot of a running run from the kernel: its processes, what each of them waits
// for, and the resources they have used. It contains only facts; look.h reads them and judge.h
// interprets them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"

namespace drover::diagnosis {

// The file behind an open descriptor.
struct Target {
  int fd = -1;
  std::string name;         // "pipe:[4711]", "socket:[12]", a path; empty: not permitted.
  std::string detail = {};  // Of a socket: its protocol and both addresses.
};

// A system call that a thread is blocked in.
struct Call {
  std::string name;                  // "read"; "syscall 999" if the number is unknown.
  std::vector<Target> targets = {};  // The things that it waits for, as far as known.
};

struct Thread {
  std::int32_t tid = 0;
  char state = '?';
  std::string wchan = {};         // The kernel function it sleeps in; empty: unknown.
  std::optional<Call> call = {};  // Empty: it runs, or we may not read it.
};

struct Process {
  std::int32_t pid = 0;
  std::int32_t parent = 0;
  std::string name;
  char state = '?';
  std::vector<Thread> threads = {};  // The first is the main thread.
  std::int64_t thread_count = 1;     // All threads, including those that were not read.
  std::vector<Target> pipes = {};    // Every pipe it has open.
  std::int64_t cpu_ms = 0;           // Of the process and of the children it has waited for.
  std::int64_t rss_bytes = 0;
  std::optional<std::int64_t> read_bytes = {}, written_bytes = {};  // From and to disks.
};

// A process that waits for a file lock, and the process that holds it.
struct LockWait {
  std::int32_t waiter = 0;
  std::string kind;         // "flock", "posix", "ofd"
  std::int32_t holder = 0;  // 0: the kernel does not say.
  std::string holder_name = {};
};

struct Scene {
  std::vector<Process> processes;  // Parents before children. Not the keeper.
  std::int32_t leader = 0;
  std::int32_t keeper = 0;
  char keeper_state = '?';
  std::vector<Target> keeper_pipes = {};  // The keeper's ends of standard input, output and error.
  std::vector<LockWait> locks = {};
  // Its exit status is on record; its remaining processes are being killed.
  bool leader_has_exited = false;
  WallMs now = 0;
  WallMs started_at = 0;
  WallMs printed_at = 0;  // When it last printed something; 0: never.
  std::int64_t output_bytes = 0;
  std::int64_t sampled_ms = 0;  // The time between the two snapshots; 0: there was only one.
  std::int64_t cpu_ms_between = 0;
  size_t left_out = 0;  // Processes beyond the limit.
  bool blind = false;   // The files that say what they wait for were unreadable.
};

// The resources that all processes of a scene have used so far, and hold now. Processes that exited
// earlier, and that none of these waited for, are not included.
struct Usage {
  std::int64_t processes = 0;
  std::int64_t cpu_ms = 0;
  std::int64_t rss_bytes = 0;
  std::optional<std::int64_t> read_bytes = {}, written_bytes = {};
};
Usage usage_of(const Scene& scene);

}  // namespace drover::diagnosis
