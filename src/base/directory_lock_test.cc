#include "base/directory_lock.h"

#include <gtest/gtest.h>

#include "testing/directory.h"

namespace drover {
namespace {

// Several can lock a byte, and each sees the others, but not itself. Closing unlocks.
TEST(DirectoryLock, IsSeenByOthers) {
  const testing::TestDirectory directory;
  const char* path = directory.path().c_str();
  Fd first = lock_directory(path, 0);
  ASSERT_TRUE(first);
  EXPECT_EQ(locked_by_others(first.get(), 0, 2), -1);
  const Fd second = lock_directory(path, 1);
  ASSERT_TRUE(second);
  EXPECT_EQ(locked_by_others(second.get(), 0, 2), 0);
  EXPECT_EQ(locked_by_others(second.get(), 1, 1), -1);
  EXPECT_EQ(locked_by_others(first.get(), 0, 2), 1);
  const Fd same = lock_directory(path, 1);
  EXPECT_EQ(locked_by_others(same.get(), 1, 1), 1);
  EXPECT_EQ(locked_by_others(second.get(), 1, 1), 1);
  first.close();
  EXPECT_EQ(locked_by_others(second.get(), 0, 1), -1);
}

// A missing directory, or a file in its place, cannot be locked.
TEST(DirectoryLock, IsEmptyWithoutADirectory) {
  const testing::TestDirectory directory;
  EXPECT_FALSE(lock_directory(directory.file("none").c_str(), 0));
  ASSERT_TRUE(replace_file(directory.file("file"), ""));
  EXPECT_FALSE(lock_directory(directory.file("file").c_str(), 0));
}

}  // namespace
}  // namespace drover
