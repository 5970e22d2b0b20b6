#include "dispatch/files/run_directories.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/fd.h"
#include "testing/clock.h"
#include "testing/directory.h"

namespace drover::dispatch {
namespace {

// R15: an environment that cannot be removed from a run's file now is removed as soon as that is
// possible. Nobody else would do it before the next start.
TEST(RunDirectories, ForgetAnEnvironmentLater) {
  drover::testing::TestDirectory directory;
  const Home home{directory.file("config"), directory.file("state"), directory.file("run")};
  ASSERT_TRUE(home.create());
  drover::testing::ManualClock clock;
  IdMaker ids(clock);
  RunDirectories directories(home, std::chrono::milliseconds(1));
  const RunId id = ids.next();
  process::Command command;
  command.argv = {"/bin/true"};
  command.cwd = "/";
  command.environment = {"A_SECRET=Xk7mQp2vRt9w"};
  ASSERT_TRUE(directories.create(id, command));

  // A link is not opened: another program may have put it in the place of the file.
  const std::string file = home.run_file(id);
  const std::string aside = directory.file("aside");
  std::filesystem::rename(file, aside);
  ASSERT_EQ(::symlink(aside.c_str(), file.c_str()), 0);
  directories.forget_environment(id);
  directories.forget_environment(ids.next());  // It is done when this one is, which has no file.
  EXPECT_NE(read_file(aside, 1 << 20)->find("Xk7mQp2vRt9w"), std::string::npos);
  std::filesystem::rename(aside, file);
  while (read_file(file, 1 << 20)->find("Xk7mQp2vRt9w") != std::string::npos) {
  }
  EXPECT_TRUE(process::read_command(file));
}

}  // namespace
}  // namespace drover::dispatch
