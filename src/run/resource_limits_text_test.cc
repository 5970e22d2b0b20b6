#include "run/resource_limits_text.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include "run/spec.h"

namespace drover::run {
namespace {

// Written limits are read back unchanged, and only requested ones are written.
TEST(LimitsText, RoundTrips) {
  const ResourceLimits all{.memory_bytes = 512ULL << 20,
                           .output_bytes = 10 << 20,
                           .cpu_milli = 1500,
                           .pids = 100,
                           .nice = -5,
                           .output_ends = 1};
  const LimitEnforcement by{Enforcer::cgroup, Enforcer::none, Enforcer::cgroup, Enforcer::priority};
  for (const ResourceLimits& limits :
       {all, ResourceLimits{}, ResourceLimits{.memory_bytes = 1ULL << 50},
        ResourceLimits{.cpu_milli = 10}, ResourceLimits{.output_bytes = 4096}}) {
    const auto text = describe(limits, by);
    EXPECT_EQ(text.contains("memory"), limits.memory_bytes != 0);
    ResourceLimits back;
    LimitEnforcement means;
    ASSERT_TRUE(read_limits(text, back, means));
    EXPECT_EQ(back, limits);
  }
  ResourceLimits back;
  LimitEnforcement means;
  ASSERT_TRUE(read_limits(describe(all, by), back, means));
  EXPECT_EQ(means, by);
}

// Text that Drover never writes is refused.
TEST(LimitsText, RefusesNonsense) {
  for (const char* text : {"1", "[]", R"({"memory":1})", R"({"memory":{"value":"x","by":"none"}})",
                           R"({"cpus":{"value":1}})", R"({"pids":{"value":1,"by":"magic"}})"}) {
    ResourceLimits limits;
    LimitEnforcement by;
    EXPECT_FALSE(read_limits(boost::json::parse(text), limits, by)) << text;
  }
}

// Each bound applies on both sides, and no limit at all is valid.
TEST(Limits, HaveBounds) {
  EXPECT_TRUE(validate_limits({}));
  EXPECT_TRUE(validate_limits({.memory_bytes = limits::kMemoryBytesMin}));
  EXPECT_TRUE(validate_limits({.output_bytes = 4096, .output_ends = 1}));
  EXPECT_TRUE(validate_limits({.nice = -20}));
  const std::pair<ResourceLimits, const char*> bad[] = {
      {{.memory_bytes = limits::kMemoryBytesMin - 1}, "limits.memory"},
      {{.memory_bytes = limits::kMemoryBytesMax + 1}, "limits.memory"},
      {{.cpu_milli = 9}, "limits.cpus"},
      {{.cpu_milli = limits::kCpuMilliMax + 1}, "limits.cpus"},
      {{.pids = limits::kPidsMax + 1}, "limits.pids"},
      {{.nice = 20}, "limits.nice"},
      {{.nice = -21}, "limits.nice"},
      {{.output_bytes = 4095}, "limits.output"},
      {{.output_ends = 1}, "limits.on_output"}};
  for (const auto& [limits, field] : bad) {
    const auto ok = validate_limits(limits);
    ASSERT_FALSE(ok) << field;
    EXPECT_EQ(ok.error().param, field);
  }
}

}  // namespace
}  // namespace drover::run
