#include "process/cgroup_search.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/fd.h"

namespace drover::process {
namespace {

namespace fs = std::filesystem;

class CgroupSearch : public ::testing::Test {
 protected:
  CgroupSearch() {
    char name[] = "/tmp/drover-search-XXXXXX";
    root_ = ::mkdtemp(name);
  }
  ~CgroupSearch() override { (void)remove_tree(root_); }
  std::string root_;
};

// A place is found wherever the daemon was started, and only that of the home.
TEST_F(CgroupSearch, FindsThePlacesOfAHome) {
  const std::string name = place_name("/home/ann/.local/state/drover");
  EXPECT_NE(name, place_name("/home/bob/.local/state/drover"));
  const std::string deep = root_ + "/user.slice/session/drover-" + name;
  fs::create_directories(deep + "/keeper-7-0123abcd");
  fs::create_directories(root_ + "/drover-" + name);
  fs::create_directories(root_ + "/drover-00000000/drover-" + name);  // A run of another home.
  auto found = find_places(root_, name);
  std::ranges::sort(found);
  EXPECT_EQ(found, (std::vector{root_ + "/drover-" + name, deep}));
  EXPECT_TRUE(find_places("", name).empty());
}

// The kernel's word is in cgroup.events.
TEST_F(CgroupSearch, KnowsWhatIsPopulated) {
  EXPECT_FALSE(is_populated(root_));
  std::ofstream(root_ + "/cgroup.events") << "populated 0\nfrozen 0\n";
  EXPECT_FALSE(is_populated(root_));
  std::ofstream(root_ + "/cgroup.events") << "populated 1\nfrozen 0\n";
  EXPECT_TRUE(is_populated(root_));
}

// A process with the pid of a keeper is that keeper only if it works for the same place.
TEST_F(CgroupSearch, RecognizesAKeeperOfTheHome) {
  const std::string program = root_ + "/drover-keeper";
  fs::create_symlink("/bin/cat", program);
  int in[2];
  int out[2];
  ASSERT_EQ(::pipe2(in, O_CLOEXEC), 0);
  ASSERT_EQ(::pipe2(out, O_CLOEXEC), 0);
  Fd to(in[1]);
  const Fd from(out[0]);
  {
    const Fd child_in(in[0]);
    const Fd child_out(out[1]);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, child_in.get(), 0);
    ::posix_spawn_file_actions_adddup2(&actions, child_out.get(), 1);
    std::string words[] = {program, "-", "/cgroup/drover-mine"};
    char* argv[] = {words[0].data(), words[1].data(), words[2].data(), nullptr};
    pid_t pid = 0;
    ASSERT_EQ(::posix_spawn(&pid, program.c_str(), &actions, nullptr, argv, environ), 0);
    ::posix_spawn_file_actions_destroy(&actions);
    char letter = 'x';  // Once it answers, it has been executed.
    EXPECT_EQ(::write(to.get(), &letter, 1), 1);
    EXPECT_EQ(::read(from.get(), &letter, 1), 1);
    EXPECT_TRUE(is_keeper_of(pid, "/cgroup/drover-mine"));
    EXPECT_FALSE(is_keeper_of(pid, "/cgroup/drover-other"));
    EXPECT_FALSE(is_keeper_of(::getpid(), "/cgroup/drover-mine"));
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
    EXPECT_FALSE(is_keeper_of(pid, "/cgroup/drover-mine"));
  }
}

}  // namespace
}  // namespace drover::process
