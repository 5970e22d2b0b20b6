#include "base/resource_limits.h"

#include <array>

namespace drover {

std::string_view name(Enforcer means) {
  constexpr std::array<std::string_view, 5> kNames{"none", "cgroup", "rlimit", "priority",
                                                   "keeper"};
  const auto place = static_cast<size_t>(means);
  return place < kNames.size() ? kNames[place] : kNames[0];
}

LimitEnforcement means_of(const ResourceLimits& limits, const Controllers& controllers) {
  LimitEnforcement means;
  if (limits.memory_bytes != 0)
    means.memory = controllers.memory ? Enforcer::cgroup : Enforcer::rlimit;
  // Without a cgroup these cannot be enforced for a whole run: RLIMIT_NPROC counts all processes of
  // a user, and pinning to a core slows down everything else that is pinned there.
  if (limits.cpu_milli != 0 && controllers.cpu) means.cpus = Enforcer::cgroup;
  if (limits.pids != 0 && controllers.pids) means.pids = Enforcer::cgroup;
  if (limits.nice != 0) means.nice = Enforcer::priority;
  return means;
}

}  // namespace drover
