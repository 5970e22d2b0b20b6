#include "base/ownership.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/home.h"
#include "base/private_group.h"

namespace drover {
namespace {

namespace fs = std::filesystem;

constexpr uid_t kStranger = 61'234;

class Ownership : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_NE(::mkdtemp(root.data()), nullptr); }
  ~Ownership() override { fs::remove_all(root); }

  std::string directory(const std::string& name, mode_t mode = 0700) const {
    fs::create_directories(root + "/" + name);
    EXPECT_EQ(::chmod((root + "/" + name).c_str(), mode), 0);
    return root + "/" + name;
  }
  std::string file(const std::string& name, mode_t mode = 0600) const {
    std::ofstream(root + "/" + name) << "x";
    EXPECT_EQ(::chmod((root + "/" + name).c_str(), mode), 0);
    return root + "/" + name;
  }
  static void give_away(const std::string& path) {
    EXPECT_EQ(::lchown(path.c_str(), kStranger, kStranger), 0);
  }
  // The message of the refusal; empty: it is not refused.
  template <class T>
  static std::string refusal(const Result<T>& result) {
    if (result) return "";
    EXPECT_EQ(result.error().reason, "unsafe_home") << result.error().message;
    return result.error().message;
  }
  static bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }

  std::string root = fs::temp_directory_path() / "drover-own-XXXXXX";
};

// A directory that others can write is refused with the command that makes it private.
TEST_F(Ownership, RefusesWhatOthersCanWrite) {
  EXPECT_EQ(refusal(check_own_directory(directory("mine"))), "");
  EXPECT_EQ(refusal(check_own_directory(directory("read", 0755))), "");
  const std::string told = "`chmod go-w '" + root + "/it'\\''s'`";
  for (const mode_t mode : {0777U, 0702U, 01777U}) {
    EXPECT_TRUE(has(refusal(check_own_directory(directory("it's", mode))), told));
  }
  if (::geteuid() == 0) {  // Somebody else's group.
    const std::string path = directory("it's", 0720);
    ASSERT_EQ(::chown(path.c_str(), 0, kStranger), 0);
    EXPECT_TRUE(has(refusal(check_own_directory(path)), told));
  }
  EXPECT_TRUE(has(refusal(check_own_file(file("f", 0622))), "chmod go-w"));
  EXPECT_EQ(refusal(check_own_file(file("g", 0644))), "");
  EXPECT_EQ(refusal(check_own_file(root + "/missing")), "");
}

// Something that belongs to another user is refused with its owner and the command to change it.
TEST_F(Ownership, RefusesWhatBelongsToAnother) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  const std::string path = directory("theirs");
  give_away(path);
  const std::string message = refusal(check_own_directory(path));
  EXPECT_TRUE(has(message, "user 61234")) << message;
  EXPECT_TRUE(has(message, "`chown 0 '" + path + "'`")) << message;
  EXPECT_TRUE(has(message, "root starts nothing")) << message;
  const std::string one = file("f");
  give_away(one);
  EXPECT_TRUE(has(refusal(check_own_file(one)), one));
  EXPECT_TRUE(has(refusal(open_trusted(one)), one));
}

// A directory on the way that others control lets them replace everything below it.
TEST_F(Ownership, ChecksTheWay) {
  const std::string path = directory("above/mine");
  directory("above", 0777);
  EXPECT_TRUE(has(refusal(check_own_directory(path)), "`chmod go-w '" + root + "/above'`"));
  EXPECT_TRUE(has(refusal(check_way(root + "/above/new/directory")), "chmod go-w"));
  directory("above", 01777);  // Sticky, like /tmp: others cannot replace what is ours.
  EXPECT_EQ(refusal(check_own_directory(path)), "");
  directory("above", 0755);
  EXPECT_EQ(refusal(check_own_directory(path)), "");
  EXPECT_EQ(refusal(check_way(root + "/above/new/directory")), "");
  if (::geteuid() != 0) return;
  give_away(root + "/above");
  EXPECT_TRUE(has(refusal(check_own_directory(path)), root + "/above'"));
}

// Links are followed, and both their way and that of their target are checked.
TEST_F(Ownership, ChecksLinksAndTheirTargets) {
  const std::string target = directory("real/home");
  directory("links");
  fs::create_symlink("../real", root + "/links/relative");
  fs::create_symlink(root + "/real", root + "/links/absolute");
  fs::create_symlink("loop", root + "/links/loop");
  for (const char* name : {"relative", "absolute"}) {
    EXPECT_EQ(refusal(check_own_directory(root + "/links/" + name + "/home")), "") << name;
  }
  EXPECT_FALSE(check_own_directory(root + "/links/loop"));
  directory("real", 0777);
  EXPECT_TRUE(has(refusal(check_own_directory(root + "/links/relative/home")), "/real'"));
  directory("real", 0700);
  directory("links", 0777);
  EXPECT_TRUE(has(refusal(check_own_directory(root + "/links/absolute/home")), "/links'"));
  if (::geteuid() != 0) return;
  directory("links", 01777);
  ::lchown((root + "/links/absolute").c_str(), kStranger, kStranger);
  EXPECT_TRUE(has(refusal(check_own_directory(root + "/links/absolute/home")), "/links/absolute"));
}

// Only a regular file is opened: a pipe would block its reader.
TEST_F(Ownership, OpensRegularFilesOnly) {
  EXPECT_TRUE(*open_trusted(file("f")));
  EXPECT_FALSE(*open_trusted(root + "/missing"));
  ASSERT_EQ(::mkfifo((root + "/pipe").c_str(), 0600), 0);
  EXPECT_EQ(open_trusted(root + "/pipe").error().reason, "not_a_file");
  EXPECT_EQ(open_trusted(directory("d")).error().reason, "not_a_file");
}

// A home creates nothing below a directory that another user controls.
TEST_F(Ownership, CreatesNoHomeInAnUnsafePlace) {
  const std::string open = directory("open", 0777);
  const Home home{open + "/h/config", open + "/h/state", open + "/h/run"};
  EXPECT_TRUE(has(refusal(home.create()), "chmod go-w"));
  EXPECT_TRUE(fs::is_empty(open));
  directory("open", 0700);
  EXPECT_TRUE(home.create());
  ASSERT_EQ(::chmod(home.runs().c_str(), 0702), 0);
  EXPECT_TRUE(has(refusal(home.create()), home.runs()));
  ASSERT_EQ(::chmod(home.runs().c_str(), 0700), 0);
  std::ofstream(home.owner_token()) << "x";
  ASSERT_EQ(::chmod(home.owner_token().c_str(), 0602), 0);
  EXPECT_TRUE(has(refusal(home.create()), home.owner_token()));
}

// The group that an account gets for itself does not count as others; any other group does.
TEST(PrivateGroup, HasOneUser) {
  constexpr std::string_view kUsers = "root:x:0:0::/root:/bin/sh\nada:x:1000:1000::/:/bin/sh\n";
  EXPECT_TRUE(is_private_group(1000, 1000, "root:x:0:\nada:x:1000:\n", kUsers));
  EXPECT_TRUE(is_private_group(1000, 1000, "ada:x:1000:ada,root", kUsers));
  EXPECT_FALSE(is_private_group(1000, 1000, "ada:x:1000:bob\n", kUsers));
  EXPECT_FALSE(is_private_group(100, 1000, "users:x:100:ada,bob\n", kUsers));
  EXPECT_FALSE(is_private_group(1000, 1000, "", kUsers));
  EXPECT_FALSE(is_private_group(1000, 1000, "ada:x:1000:\n",
                                std::string(kUsers) + "bob:x:1001:1000::/:/bin/sh\n"));
  EXPECT_FALSE(is_private_group(1000, 7, "ada:x:1000:\n", kUsers));
}

}  // namespace
}  // namespace drover
