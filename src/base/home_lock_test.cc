#include "base/home_lock.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "testing/directory.h"

namespace drover {
namespace {

class HomeLock : public ::testing::Test {
 protected:
  HomeLock() { EXPECT_TRUE(home.create()); }

  testing::TestDirectory directory;
  Home home{directory.file("config"), directory.file("state"), directory.file("run")};
};

// A daemon is found by its lock for as long as it has it, and no longer.
TEST_F(HomeLock, FindsItsHolder) {
  EXPECT_FALSE(home_holder(home));
  auto lock = take_home(home);
  ASSERT_TRUE(lock);
  const auto holder = home_holder(home);
  ASSERT_TRUE(holder);
  EXPECT_EQ(holder->pid, ::getpid());
  EXPECT_TRUE(holder->process);
  lock->close();
  EXPECT_FALSE(home_holder(home));
}

// A pid alone is not enough to signal a process: it may have been reused since.
TEST_F(HomeLock, DoesNotTrustAPidAlone) {
  const auto lock = take_home(home);
  ASSERT_TRUE(lock);
  const std::string pid = std::to_string(::getpid());
  for (const std::string& text : {pid, pid + " 1\n", std::string("1 1\n"), std::string("x")}) {
    ASSERT_EQ(::ftruncate(lock->get(), 0), 0);
    ASSERT_EQ(::pwrite(lock->get(), text.data(), text.size(), 0),
              static_cast<ssize_t>(text.size()));
    const auto holder = home_holder(home);
    ASSERT_TRUE(holder) << text;
    EXPECT_FALSE(holder->process) << text;
  }
}

// A lock file that others can write does not tell which process to signal.
TEST_F(HomeLock, DoesNotTrustAForeignFile) {
  const auto lock = take_home(home);
  ASSERT_TRUE(lock);
  ASSERT_EQ(::fchmod(lock->get(), 0666), 0);
  EXPECT_FALSE(home_holder(home)->process);
}

}  // namespace
}  // namespace drover
