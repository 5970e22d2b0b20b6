// A ForkCount is the number of processes that were created since boot. It proves that a pid was not
// reused: the kernel hands out pids in order, so it cannot come back to one before it has gone
// through all of them.
#pragma once

#include <cstdint>

namespace drover::process {

class ForkCount {
 public:
  // Reads /proc once a minute at most, so that short commands do not pay for it. An older number is
  // only more careful. 0: unknown.
  std::uint64_t at(std::int64_t mono_ns);

 private:
  std::uint64_t count_ = 0;
  std::int64_t read_at_ = 0;
};

// 0: unknown.
std::uint64_t forks_since_boot();

// Whether a pid that was in use when `forks` processes had been created may be another process's by
// now. True if that cannot be excluded. Half of all pids is the bound, because those that are in
// use are skipped.
bool may_be_reused(std::uint64_t forks);

}  // namespace drover::process
