// R7: cgroups, in a fake tree that shows what was written, and in the kernel's tree where it is
// usable.
#include "process/cgroup.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "process/cgroup_place.h"
#include "process/pid_ref.h"

namespace drover::process {
namespace {

namespace fs = std::filesystem;

class Cgroups : public ::testing::Test {
 protected:
  Cgroups() {
    char name[] = "/tmp/drover-cgroup-XXXXXX";
    root_ = ::mkdtemp(name);
    write("cgroup.controllers", "cpuset cpu io memory pids\n");
    write("cgroup.subtree_control", "");
    write("cgroup.procs", "");
  }
  ~Cgroups() override { (void)remove_tree(root_); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(root_ + "/" + name) << text;
  }
  static std::string read(const std::string& path) {
    const auto text = read_file(path, 4096);
    return text ? *text : "nothing";
  }
  std::string root_;
};

// A place is created once, with every available controller; creating it again changes nothing.
TEST_F(Cgroups, APlaceIsCreatedOnce) {
  for (int round = 0; round < 2; ++round) {
    const CgroupPlace place = prepare_cgroups(root_, "home");
    EXPECT_EQ(place.directory, root_ + "/drover-home") << place.why_not;
    EXPECT_TRUE(place.controllers.memory && place.controllers.cpu && place.controllers.pids);
    EXPECT_EQ(read(root_ + "/cgroup.subtree_control"), "+memory +cpu +pids +io");
    EXPECT_EQ(read(place.directory + "/cgroup.subtree_control"), "+memory +cpu +pids +io");
  }
  // A daemon that was started in the leaf of an earlier one uses the same place.
  EXPECT_EQ(prepare_cgroups(root_ + "/daemon", "home").directory, root_ + "/drover-home");
}

// Without usable cgroups, or without controllers, the result says why.
TEST_F(Cgroups, SayWhyThereIsNoPlace) {
  EXPECT_NE(prepare_cgroups("", "home").why_not, "");
  EXPECT_NE(prepare_cgroups(root_ + "/missing", "home").why_not, "");
  write("cgroup.controllers", "hugetlb\n");
  // A place without controllers contains runs, and enforces no limits.
  const CgroupPlace place = prepare_cgroups(root_, "home");
  EXPECT_EQ(place.directory, root_ + "/drover-home");
  EXPECT_NE(place.why_not, "");
  EXPECT_FALSE(place.controllers.any());
}

// Only the controllers of the place are promised; without a place memory uses rlimits.
TEST_F(Cgroups, PromiseOnlyAvailableControllers) {
  const ResourceLimits all{.memory_bytes = 1 << 30, .cpu_milli = 250, .pids = 7};
  write("cgroup.controllers", "cpu\n");
  const std::string place = prepare_cgroups(root_, "home").directory;
  Cgroup run;
  ASSERT_TRUE(run.make(place.c_str(), "run_1"));
  EXPECT_EQ(run.limit(all),
            (LimitEnforcement{Enforcer::rlimit, Enforcer::cgroup, Enforcer::none, Enforcer::none}));
  EXPECT_EQ(read(place + "/run_1/cpu.max"), "25000 100000");
  EXPECT_FALSE(fs::exists(place + "/run_1/memory.max"));
  EXPECT_GE(run.entry(), 0);
  Cgroup none;
  for (const char* nowhere : {static_cast<const char*>(nullptr), "", "/nonexistent/place"}) {
    EXPECT_FALSE(none.make(nowhere, "run_2"));
    EXPECT_EQ(none.limit(all),
              (LimitEnforcement{Enforcer::rlimit, Enforcer::none, Enforcer::none, Enforcer::none}));
    EXPECT_LT(none.entry(), 0);
  }
  EXPECT_FALSE(Cgroup().ran_out_of_memory());
}

// The kernel's counters are read: out-of-memory kills, the peak, the disks.
TEST_F(Cgroups, UsageIsRead) {
  const std::string place = prepare_cgroups(root_, "home").directory;
  Cgroup run;
  ASSERT_TRUE(run.make(place.c_str(), "run_1"));
  EXPECT_FALSE(run.ran_out_of_memory());
  write("drover-home/run_1/memory.events", "low 0\nhigh 0\nmax 3\noom 1\noom_kill 0\n");
  EXPECT_FALSE(run.ran_out_of_memory());
  write("drover-home/run_1/memory.events", "low 0\noom 1\noom_kill 2\noom_group_kill 1\n");
  EXPECT_TRUE(run.ran_out_of_memory());
  write("drover-home/run_1/memory.peak", "123456\n");
  write("drover-home/run_1/io.stat",
        "254:0 rbytes=4096 wbytes=1 rios=1\n254:1 rbytes=4 wbytes=2\n");
  UsageRecord usage;
  run.add_to(usage);
  EXPECT_EQ(usage.memory_peak_bytes, 123456U);
  EXPECT_EQ(usage.read_bytes, 4100U);
  EXPECT_EQ(usage.written_bytes, 3U);
}

// One try kills what is in it and returns whether it is gone; a missing one counts as gone.
TEST_F(Cgroups, AreClearedWithoutWaiting) {
  const std::string place = prepare_cgroups(root_, "home").directory;
  EXPECT_TRUE(try_to_clear_cgroup(place, "run_1"));
  ASSERT_TRUE(fs::create_directories(place + "/run_1/nested"));
  EXPECT_TRUE(try_to_clear_cgroup(place, "run_1"));
  EXPECT_FALSE(fs::exists(place + "/run_1"));
  ASSERT_TRUE(fs::create_directory(place + "/run_1"));
  write("drover-home/run_1/somebody", "is in it");
  EXPECT_FALSE(try_to_clear_cgroup(place, "run_1"));
  EXPECT_EQ(read(place + "/run_1/cgroup.kill"), "1");
}

// In the kernel's own tree. Where there is none, these tests are skipped, which ./dev counts as a
// failure: nothing else shows that cgroups hold what they promise.
class KernelCgroups : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string own = own_cgroup();
    place_ = own + "/drover-test-" + std::to_string(::getpid());
    if (own.empty() || ::mkdir(place_.c_str(), 0700) != 0) {
      EXPECT_EQ(prepare_cgroups(own, "test").directory, "");
      place_.clear();
      GTEST_SKIP() << "this machine has no cgroup v2 that this user may write";
    }
  }
  void TearDown() override {
    if (place_.empty()) return;
    for (const std::string& name : cgroups_in(place_)) clear_cgroup(place_, name);
    EXPECT_EQ(::rmdir(place_.c_str()), 0) << place_;
  }
  std::string place_;
};

// A process that writes to its entry joins, a kill ends it, and the
// cgroup can be removed.
TEST_F(KernelCgroups, ContainAProcess) {
  const std::string& place = place_;
  Cgroup run;
  ASSERT_TRUE(run.make(place.c_str(), "run_1"));
  EXPECT_TRUE(run.can_be_used_again());
  const pid_t child = ::fork();
  if (child == 0) {
    if (::write(run.entry(), "0", 1) != 1) ::_exit(1);
    while (true) ::pause();
  }
  const std::string procs = place + "/run_1/cgroup.procs";
  auto members = read_file(procs, 4096);
  while (members && *members != std::to_string(child) + "\n") members = read_file(procs, 4096);
  EXPECT_TRUE(members);
  EXPECT_FALSE(run.is_empty());
  EXPECT_EQ(cgroup_with_id(place, run.id()), "run_1");
  EXPECT_EQ(cgroup_id_of("/proc/" + std::to_string(child)), run.id());
  clear_cgroup(place, "run_1");  // Not empty at once: the kill takes a moment.
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  run.remove();
  clear_cgroup(place, "run_1");
  EXPECT_TRUE(cgroups_in(place).empty());
}

// A cgroup that was ever killed, or has groups below it, is never used again, also once it is
// empty: a kernel may kill what is started in it later, and what is below it may come back.
TEST_F(KernelCgroups, AreNotUsedAgainAfterAKillOrWithGroups) {
  Cgroup killed;
  ASSERT_TRUE(killed.make(place_.c_str(), "killed"));
  EXPECT_TRUE(killed.can_be_used_again());
  killed.kill();
  EXPECT_TRUE(killed.is_empty());
  EXPECT_FALSE(killed.can_be_used_again());

  Cgroup divided;
  ASSERT_TRUE(divided.make(place_.c_str(), "divided"));
  EXPECT_TRUE(divided.can_be_used_again());
  ASSERT_EQ(::mkdir((place_ + "/divided/below").c_str(), 0700), 0);
  EXPECT_TRUE(divided.is_empty());
  EXPECT_FALSE(divided.can_be_used_again());

  EXPECT_FALSE(Cgroup().can_be_used_again());
  killed.remove();
  divided.remove();
}

// R7: a command may create groups in its run's cgroup, with processes in them: both are removed, by
// the keeper or by the next daemon.
TEST_F(KernelCgroups, RemoveNestedGroups) {
  const std::string& place = place_;
  for (const bool by_keeper : {true, false}) {
    Cgroup run;
    ASSERT_TRUE(run.make(place.c_str(), "run_1"));
    for (const char* nested : {"/run_1/a", "/run_1/a/b", "/run_1/a/b/c", "/run_1/d"}) {
      ASSERT_EQ(::mkdir((place + nested).c_str(), 0700), 0);
    }
    const pid_t child = ::fork();
    if (child == 0) {
      while (true) ::pause();
    }
    std::ofstream(place + "/run_1/a/b/cgroup.procs") << child << std::flush;
    if (by_keeper) {
      run.remove();
    } else {
      clear_cgroup(place, "run_1");
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    EXPECT_TRUE(cgroups_in(place).empty());
  }
}

}  // namespace
}  // namespace drover::process
