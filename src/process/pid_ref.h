// A process is named by its pid, its start time and the boot it lives in. A bare pid is never a
// name: the kernel gives it to somebody else. Signals go by pidfd, after a second look.
#pragma once

#include <optional>

#include "base/fd.h"
#include "base/journal.h"

namespace drover::process {

struct BootId {
  char text[40] = {};
};
// Empty where there is no /proc.
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
// What /proc says of a process now.
std::optional<Stat> look_at(std::int32_t pid);

ProcessRef ref_of(std::int32_t pid);

// Opens the very process that `ref` names; empty if it is gone, or its pid is somebody else's now.
Fd open_process(const ProcessRef& ref);

// True if the signal was sent to the very process that `ref` names.
bool send_signal(const ProcessRef& ref, int signal);

}  // namespace drover::process
