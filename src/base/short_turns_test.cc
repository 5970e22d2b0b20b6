#include "base/short_turns.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <thread>

namespace drover {
namespace {

// The slice of this thread; 0: this kernel does not report it, and cannot set it either.
std::uint64_t turn_ns() {
  struct {
    std::uint32_t size = 0, policy = 0;
    std::uint64_t flags = 0;
    std::int32_t nice = 0;
    std::uint32_t priority = 0;
    std::uint64_t runtime = 0, deadline = 0, period = 0;
  } attributes;
  if (::syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0U) != 0) return 0;
  return attributes.runtime;
}

// The calling thread has shorter slices than before, and its children have the usual ones: a
// command must not be interrupted more often because Drover started it.
TEST(ShortTurns, ApplyToTheCallingThreadOnly) {
  const std::uint64_t usual = turn_ns();
  std::thread([usual] {
    take_short_turns();
    EXPECT_TRUE(usual == 0 || turn_ns() < usual) << turn_ns();
    const pid_t child = ::fork();
    if (child == 0) ::_exit(turn_ns() == usual ? 0 : 1);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }).join();
  EXPECT_EQ(turn_ns(), usual);
}

}  // namespace
}  // namespace drover
