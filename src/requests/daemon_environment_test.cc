// The daemon's environment, as runs inherit it.
#include "requests/daemon_environment.h"

#include <gtest/gtest.h>

namespace drover::requests {
namespace {

using Variables = std::vector<std::string>;

// Names are withheld as long as they are in use, and only whole names.
TEST(DaemonEnvironment, WithholdsNamesInUse) {
  DaemonEnvironment environment({"A=1", "SECRET=s", "SECRET_TOO=t", "OPENAI_API_KEY=k"});
  EXPECT_EQ(environment.variables(), (Variables{"A=1", "SECRET=s", "SECRET_TOO=t"}));
  environment.withhold({"SECRET"});
  EXPECT_EQ(environment.variables(), (Variables{"A=1", "SECRET_TOO=t"}));
  environment.withhold({"A", "OPENAI_API_KEY"});
  EXPECT_EQ(environment.variables(), (Variables{"SECRET=s", "SECRET_TOO=t"}));
  environment.withhold({});
  EXPECT_EQ(environment.variables(), (Variables{"A=1", "SECRET=s", "SECRET_TOO=t"}));
}

}  // namespace
}  // namespace drover::requests
