#include "tests/disk/failing_disk.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>

#include "tests/harness.h"

namespace drover::tests {
namespace {

// The disk itself: each trouble has the kernel's errors, only in its directory, and only until the
// repair.
TEST(FailingDisk, FailsOnlyInItsDirectoryUntilRepaired) {
  Flock flock;  // For its directory.
  FailingDisk disk;
  const std::string state = flock.file("state");
  std::filesystem::create_directory(state);
  disk.holds(state);
  const auto sh = [&](const std::string& script) {
    std::optional<Output> output;
    disk.within([&] {
      output = Started({"/bin/sh", "-c", "cd " + state + "; " + script}, {}, "").finish();
    });
    return output->code == 0 ? "" : output->err.substr(output->err.rfind(": ") + 2);
  };
  EXPECT_EQ(sh("echo some > old; mkdir sub"), "");
  disk.fail(Trouble::full);
  EXPECT_EQ(sh("echo > new"), "No space left on device\n");
  EXPECT_EQ(sh("mkdir new"), "No space left on device\n");
  EXPECT_EQ(sh("head -c 8000 /dev/zero >> old"), "No space left on device\n");
  EXPECT_EQ(sh("echo more >> old"), "");  // Its last block has space.
  EXPECT_EQ(sh("cat old > ../elsewhere"), "");
  EXPECT_EQ(disk.refusals(), 3);
  disk.fail(Trouble::broken, 2);
  EXPECT_EQ(sh("echo > new; echo > newer"), "Input/output error\n");
  disk.fail(Trouble::read_only);
  EXPECT_EQ(sh("echo > old"), "Read-only file system\n");
  EXPECT_EQ(sh("rm old"), "Read-only file system\n");
  EXPECT_EQ(sh("cat old"), "");
  disk.repair();
  EXPECT_EQ(sh("echo > new; mkdir newest; rm old"), "");
}

}  // namespace
}  // namespace drover::tests
