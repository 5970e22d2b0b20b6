// The totals of the whole suite, and a check of the released programs.
#include <gtest/gtest.h>

#include <cstdio>

#include "tests/torture/tortured_home.h"

namespace drover::tests {
namespace {

constexpr std::uint64_t kDeathsMin = 500;

class Tally : public ::testing::Environment {
 public:
  void TearDown() override {
    std::printf("%llu programs were killed\n", static_cast<unsigned long long>(all_deaths()));
    if (GTEST_FLAG_GET(filter) == "*") EXPECT_GE(all_deaths(), kDeathsMin);
  }
};
[[maybe_unused]] const auto* const kTally = ::testing::AddGlobalTestEnvironment(new Tally);

// The released programs have no crash points.
TEST(Released, HasNoCrashPoints) {
  for (const char* program : {"droverd", "drover-keeper"}) {
    const auto released = read_file(std::string(DROVER_RELEASED) + "/" + program, 1 << 30);
    const auto tortured = read_file(std::string(DROVER_BIN) + "/" + program, 1 << 30);
    ASSERT_TRUE(released && tortured);
    EXPECT_EQ(released->find(kCrashBoardVariable), std::string::npos) << program;
    EXPECT_NE(tortured->find(kCrashBoardVariable), std::string::npos) << program;
  }
}

}  // namespace
}  // namespace drover::tests
