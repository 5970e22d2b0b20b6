// Resource limits are the most that a command may use, as requested, and the means by which each is
// enforced: a limit that nothing enforces must be reported as such.
#pragma once

#include <cstdint>
#include <string_view>

namespace drover {

struct ResourceLimits {
  std::uint64_t memory_bytes = 0;  // 0: none. The same for all but nice.
  std::uint64_t output_bytes = 0;  // How much of the output is stored.
  std::uint32_t cpu_milli = 0;     // Thousandths of a core.
  std::uint32_t pids = 0;
  std::int32_t nice = 0;          // Added to the keeper's own; 0: unchanged.
  std::uint32_t output_ends = 0;  // 1: the command is stopped when it prints more than that.

  bool any() const { return *this != ResourceLimits{}; }
  bool wants_cgroup() const { return memory_bytes != 0 || cpu_milli != 0 || pids != 0; }
  friend bool operator==(const ResourceLimits&, const ResourceLimits&) = default;
};
static_assert(sizeof(ResourceLimits) == 32);  // Its layout in a run's file.

enum class Enforcer : std::uint8_t {
  none,      // Not enforced.
  cgroup,    // The kernel, for all processes of the run together.
  rlimit,    // The kernel, for each process on its own.
  priority,  // The scheduler.
  keeper,    // The run's keeper, which reads its output.
};
std::string_view name(Enforcer means);

struct LimitEnforcement {
  Enforcer memory = Enforcer::none;
  Enforcer cpus = Enforcer::none;
  Enforcer pids = Enforcer::none;
  Enforcer nice = Enforcer::none;
  friend bool operator==(const LimitEnforcement&, const LimitEnforcement&) = default;
};

// The controllers that a cgroup offers here.
struct Controllers {
  bool memory = false;
  bool cpu = false;
  bool pids = false;
  bool io = false;  // Not for a limit: for the bytes read and written.
  bool any() const { return memory || cpu || pids; }
};

// How each limit will be enforced with these controllers.
LimitEnforcement means_of(const ResourceLimits& limits, const Controllers& controllers);

}  // namespace drover
