// Finds and signals the process that a ProcessRef (base/journal.h) names by its pid, its start time
// and its boot. A pid alone names nothing: the kernel reuses it. Signals are sent by pidfd, after
// the start time was checked again.
#pragma once

#include <optional>

#include "base/fd.h"
#include "base/journal.h"

namespace drover::process {

struct BootId {
  char text[40] = {};
};
// Empty without /proc.
BootId boot_id();

struct Stat {
  std::int32_t parent = 0;
  std::int32_t group = 0;
  std::int32_t session = 0;
  char state = '?';
  std::uint64_t start_ticks = 0;
  std::uint64_t cpu_ticks = 0;  // Its own, and that of the children it has waited for.
  std::int64_t rss_pages = 0;
  std::int64_t threads = 0;
  char name[20] = {};
};
// Reads /proc/<pid>/stat.
std::optional<Stat> look_at(std::int32_t pid);

ProcessRef ref_of(std::int32_t pid);

// Now, in the unit of a start time. A process that is created now has this start time.
std::uint64_t ticks_now();

// Opens the process that `ref` names; empty if it is gone, even if its pid is in use again.
Fd open_process(const ProcessRef& ref);

// True if the signal was sent to the process that `ref` names.
bool send_signal(const ProcessRef& ref, int signal);

}  // namespace drover::process
