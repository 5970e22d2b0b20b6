#include "process/command.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "base/fd.h"

namespace drover::process {
namespace {

class CommandTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/drover-command-XXXXXX";
    root_ = ::mkdtemp(name);
    path_ = root_ + "/id.run";
    ASSERT_TRUE(write_command(path_, {.argv = {"/bin/echo", "", "two words"},
                                      .environment = {"A=1", "B=", "SECRET=x"},
                                      .cwd = "/tmp"}));
  }
  void TearDown() override { (void)remove_tree(root_); }
  bool loads(LoadedCommand& command) {
    const Fd fd(::open(path_.c_str(), O_RDWR | O_CLOEXEC));
    return command.load(fd.get());
  }

  std::string root_, path_;
};

// A written command is read back unchanged, including empty arguments.
TEST_F(CommandTest, RoundTrips) {
  LoadedCommand command;
  ASSERT_TRUE(loads(command));
  EXPECT_STREQ(command.cwd(), "/tmp");
  EXPECT_STREQ(command.argv()[1], "");
  EXPECT_STREQ(command.argv()[2], "two words");
  EXPECT_EQ(command.argv()[3], nullptr);
  EXPECT_STREQ(command.environment()[1], "B=");
  EXPECT_EQ(command.environment()[3], nullptr);
  EXPECT_STREQ(command.variable("SECRET"), "x");
  EXPECT_EQ(command.variable("SECRE"), nullptr);
}

// A note stays when the environment is removed, and the keeper passes over it.
TEST_F(CommandTest, KeepsItsNote) {
  const std::string other = root_ + "/other.run";
  ASSERT_TRUE(write_command(other, {.argv = {"x"},
                                    .environment = {"A=1"},
                                    .cwd = "/tmp",
                                    .lock_file = "/lock",
                                    .note = "{\"scope\":\"a\"}"}));
  for (int i = 0; i < 2; ++i) {
    const auto command = read_command(other);
    ASSERT_TRUE(command);
    EXPECT_EQ(command->note, "{\"scope\":\"a\"}");
    EXPECT_EQ(command->lock_file, "/lock");
    EXPECT_EQ(command->cwd, "/tmp");
    EXPECT_EQ(command->umask, 022U);
    EXPECT_EQ(command->environment.empty(), i == 1);
    ASSERT_TRUE(forget_environment(other));
  }
}

// A file that was truncated anywhere, also between two words, is refused.
TEST_F(CommandTest, RefusesATruncatedFile) {
  const auto whole = static_cast<off_t>(std::filesystem::file_size(path_));
  for (off_t size = whole + 1; size >= 0; --size) {
    ASSERT_EQ(::truncate(path_.c_str(), size), 0);
    LoadedCommand command;
    EXPECT_EQ(loads(command), size == whole) << size << " of " << whole;
  }
}

// R15: the environment can be removed, repeatedly; the command stays readable, and cannot be
// started again.
TEST_F(CommandTest, ForgetsItsEnvironment) {
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(forget_environment(path_));
    const std::string left = read_file(path_, 1 << 20).value();
    EXPECT_EQ(left.find("SECRET"), std::string::npos);
    EXPECT_NE(left.find("two words"), std::string::npos);
    LoadedCommand command;
    EXPECT_FALSE(loads(command));
  }
}

}  // namespace
}  // namespace drover::process
