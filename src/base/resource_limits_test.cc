#include "base/resource_limits.h"

#include <gtest/gtest.h>

namespace drover {
namespace {

// With cgroups they hold; without them memory has rlimits, and for the others it is said that
// nobody holds them. What was not asked for is held by nobody.
TEST(ResourceLimits, AreHeldByWhatThereIs) {
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
