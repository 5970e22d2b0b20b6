#include "process/pid_ref.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "base/fd.h"

namespace drover::process {
namespace {

// A pid that was reused by another process is neither watched nor signaled.
TEST(PidRef, IgnoresAReusedPid) {
  ProcessRef self = ref_of(::getpid());
  EXPECT_NE(self.start_ticks, 0U);
  EXPECT_TRUE(open_process(self));
  EXPECT_TRUE(send_signal(self, 0));
  for (const std::uint64_t other : {self.start_ticks - 1, self.start_ticks + 1, std::uint64_t{0}}) {
    const ProcessRef stranger{.pid = self.pid, .reserved = 0, .start_ticks = other};
    EXPECT_FALSE(open_process(stranger));
    EXPECT_FALSE(send_signal(stranger, SIGKILL));
  }
}

// A process name may contain anything, even what looks like the rest of the line.
TEST(PidRef, IsNotMisledByAProcessName) {
  char root[] = "/tmp/drover-pid-XXXXXX";
  ASSERT_NE(::mkdtemp(root), nullptr);
  std::string program = std::string(root) + "/x) Z 1 (y", time = "1000";
  std::filesystem::copy_file("/bin/sleep", program);
  char* argv[] = {program.data(), time.data(), nullptr};
  pid_t pid = 0;
  ASSERT_EQ(::posix_spawn(&pid, program.c_str(), nullptr, nullptr, argv, environ), 0);
  const auto stat = look_at(pid);
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->parent, ::getpid());
  EXPECT_STREQ(stat->name, "x) Z 1 (y");
  EXPECT_TRUE(send_signal(ref_of(pid), SIGKILL));
  ::waitpid(pid, nullptr, 0);
  EXPECT_FALSE(look_at(pid));
  (void)remove_tree(root);
}

}  // namespace
}  // namespace drover::process
