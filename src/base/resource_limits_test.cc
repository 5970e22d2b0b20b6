#include "base/resource_limits.h"

#include <gtest/gtest.h>

namespace drover {
namespace {

// With cgroups all limits are enforced; without them memory uses rlimits, and the others are
// reported as not enforced. A limit that was not requested is not enforced.
TEST(ResourceLimits, AreEnforcedByTheAvailableMeans) {
  const ResourceLimits all{.memory_bytes = 1, .cpu_milli = 1, .pids = 1, .nice = 1};
  EXPECT_EQ(
      means_of(all, {.memory = true, .cpu = true, .pids = true}),
      (LimitEnforcement{Enforcer::cgroup, Enforcer::cgroup, Enforcer::cgroup, Enforcer::priority}));
  EXPECT_EQ(means_of(all, {}), (LimitEnforcement{Enforcer::rlimit, Enforcer::none, Enforcer::none,
                                                 Enforcer::priority}));
  EXPECT_EQ(
      means_of(all, {.pids = true}),
      (LimitEnforcement{Enforcer::rlimit, Enforcer::none, Enforcer::cgroup, Enforcer::priority}));
  EXPECT_EQ(means_of({}, {.memory = true, .cpu = true, .pids = true}), LimitEnforcement{});
  EXPECT_FALSE(ResourceLimits{}.any());
  EXPECT_EQ(name(Enforcer::rlimit), "rlimit");
  EXPECT_EQ(name(static_cast<Enforcer>(77)), "none");
}

}  // namespace
}  // namespace drover
