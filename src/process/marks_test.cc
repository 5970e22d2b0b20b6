// The processes of a command without a keeper are recognized, and no others.
#include "process/marks.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "base/fd.h"
#include "process/fork_count.h"
#include "process/terminal.h"

namespace drover::process {
namespace {

// A pipe, and its inode.
struct Pipe {
  Pipe() {
    int ends[2];
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    read = Fd(ends[0]);
    write = Fd(ends[1]);
    EXPECT_EQ(::fstat(ends[0], &info), 0);
  }
  Fd read, write;
  struct stat info{};
};

class MarksTest : public testing::Test {
 protected:
  // A child that does `work`, says so, and lives until the end of the test.
  pid_t child(const std::function<void()>& work) {
    Pipe ready;
    const pid_t pid = ::fork();
    if (pid == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      work();
      (void)!::write(ready.write.get(), "x", 1);
      while (true) ::pause();
    }
    ready.write.close();
    char byte = 0;
    EXPECT_EQ(::read(ready.read.get(), &byte, 1), 1);
    children_.push_back(pid);
    return pid;
  }
  void TearDown() override {
    for (const pid_t pid : children_) {
      ::kill(pid, SIGKILL);
      ::waitpid(pid, nullptr, 0);
    }
    for (const pid_t pid : others_) ::kill(pid, SIGKILL);
  }

  Marks marks(pid_t command) {
    return {.value = "run_1",
            .command = command,
            .record = {.first_ticks = before_, .last_ticks = ticks_now(), .forks = forks_}};
  }
  Marks writing_to(const Pipe& pipe) {
    Marks marks = this->marks(kNobody);
    marks.record.output[1] = pipe.info.st_ino;
    marks.record.device = pipe.info.st_dev;
    return marks;
  }
  static std::string found(const Marks& marks, bool any_parent = false) {
    std::string text;
    const Marks all[] = {marks};
    for (const MarkedProcess& one :
         find_marked({.variable = "DROVER_MARKS_TEST", .marks = all, .any_parent = any_parent})) {
      text += std::to_string(one.member.ref.pid) + " " + std::string(name(one.sign)) + "\n";
      EXPECT_EQ(one.value, "run_1");
    }
    return text;
  }
  static std::string line(pid_t pid, Sign sign) {
    return std::to_string(pid) + " " + std::string(name(sign)) + "\n";
  }

  static constexpr pid_t kNobody = 0x3fffffff;
  const std::uint64_t before_ = ticks_now();
  const std::uint64_t forks_ = forks_since_boot();
  std::vector<pid_t> children_, others_;
};

// Processes are found by the process session of the command: its members, and all processes that
// these have started, even those that have shed every mark.
TEST_F(MarksTest, FindASession) {
  Pipe told;
  const pid_t leader = child([&] {
    ::setsid();
    const pid_t below = ::fork();
    if (below == 0) {
      ::setsid();
      const pid_t self = ::getpid();
      (void)!::write(told.write.get(), &self, sizeof self);
      while (true) ::pause();
    }
  });
  pid_t below = 0;
  ASSERT_EQ(::read(told.read.get(), &below, sizeof below), static_cast<ssize_t>(sizeof below));
  others_.push_back(below);
  EXPECT_EQ(found(marks(leader)), line(leader, Sign::session) + line(below, Sign::below));
  EXPECT_EQ(found(marks(below)), line(below, Sign::session));
}

// The number of a process session is not enough: a leader with another start time is another
// command's.
TEST_F(MarksTest, IgnoreTheSessionOfAReusedPid) {
  const pid_t leader = child([] { ::setsid(); });
  Marks later = marks(leader);
  later.record.first_ticks = later.record.last_ticks = ref_of(leader).start_ticks + 1;
  EXPECT_EQ(found(later), "");
  Marks earlier = marks(leader);
  earlier.record.first_ticks = earlier.record.last_ticks = ref_of(leader).start_ticks - 1;
  EXPECT_EQ(found(earlier), "");
  EXPECT_NE(found(marks(leader)), "");
}

// If the leader of a process session is gone, its number counts only as long as the kernel cannot
// have handed it out again.
TEST_F(MarksTest, FindASessionWithoutItsLeader) {
  Pipe told;
  const pid_t leader = ::fork();
  if (leader == 0) {
    ::setsid();
    if (::fork() != 0) ::_exit(0);
    const pid_t self = ::getpid();
    (void)!::write(told.write.get(), &self, sizeof self);
    while (true) ::pause();
  }
  pid_t member = 0;
  ASSERT_EQ(::read(told.read.get(), &member, sizeof member), static_cast<ssize_t>(sizeof member));
  ::waitpid(leader, nullptr, 0);
  others_.push_back(member);
  EXPECT_EQ(found(marks(leader)), line(member, Sign::session));
  Marks unknown = marks(leader);
  unknown.record.forks = 0;
  EXPECT_EQ(found(unknown), "");
  Marks long_ago = marks(leader);
  long_ago.record.forks = 1;
  const auto pids = read_file("/proc/sys/kernel/pid_max", 64);
  if (forks_ > std::stoull(*pids) / 2) EXPECT_EQ(found(long_ago), "");
  Marks later = marks(leader);  // A process that is older than the command.
  later.record.first_ticks = later.record.last_ticks = ticks_now() + 1;
  EXPECT_EQ(found(later), "");
}

// Processes are found by the output of the command, if they have it open for writing as their
// standard output or error.
TEST_F(MarksTest, FindAnOutput) {
  Pipe pipe;
  const pid_t writer = child([&] { ::dup2(pipe.write.get(), 2); });
  child([&] { ::dup2(pipe.read.get(), 1); });
  child([&] { ::dup2(pipe.write.get(), 17); });
  EXPECT_EQ(found(writing_to(pipe)), line(writer, Sign::output));
  Marks other_device = writing_to(pipe);
  ++other_device.record.device;
  EXPECT_EQ(found(other_device), "");
  Marks later = writing_to(pipe);
  later.record.first_ticks = later.record.last_ticks = ticks_now() + 1;
  EXPECT_EQ(found(later), "");
}

// A process with the output whose parent is alive belongs to that parent.
TEST_F(MarksTest, IgnoreTheOutputOfSomebodysChild) {
  Pipe pipe, told;
  child([&] {
    const pid_t below = ::fork();
    if (below == 0) {
      ::dup2(pipe.write.get(), 1);
      const pid_t self = ::getpid();
      (void)!::write(told.write.get(), &self, sizeof self);
      while (true) ::pause();
    }
  });
  pid_t below = 0;
  ASSERT_EQ(::read(told.read.get(), &below, sizeof below), static_cast<ssize_t>(sizeof below));
  others_.push_back(below);
  EXPECT_EQ(found(writing_to(pipe)), "");
  EXPECT_EQ(found(writing_to(pipe), true), line(below, Sign::output));
}

// A terminal is recognized by its number and its time: numbers are reused at once.
TEST_F(MarksTest, FindATerminal) {
  Terminal terminal;
  Fd master = terminal.open({.rows = 24, .columns = 80});
  ASSERT_TRUE(master);
  const pid_t writer = child([&] { ::dup2(terminal.peer(), 1); });
  struct stat info{};
  ASSERT_EQ(::fstat(terminal.peer(), &info), 0);
  Marks marks = this->marks(kNobody);
  marks.record.output[0] = info.st_ino;
  marks.record.device = info.st_dev;
  marks.record.made_ns = info.st_ctim.tv_sec * 1'000'000'000 + info.st_ctim.tv_nsec;
  EXPECT_EQ(found(marks), line(writer, Sign::output));
  terminal.close_peer();
  master.close();  // As if the keeper had died: the name of the terminal is gone.
  EXPECT_EQ(found(marks), line(writer, Sign::output));
  ++marks.record.made_ns;
  EXPECT_EQ(found(marks), "");
}

// Neither the searching process nor its ancestors are ever found, nor what is to be spared.
TEST_F(MarksTest, SpareTheSearcher) {
  Pipe pipe;
  const pid_t writer = child([&] { ::dup2(pipe.write.get(), 1); });
  const Fd out(::fcntl(1, F_DUPFD_CLOEXEC, 3));
  ASSERT_EQ(::dup2(pipe.write.get(), 1), 1);
  const std::string all = found(writing_to(pipe));
  const Marks marks[] = {writing_to(pipe)};
  const auto spared =
      find_marked({.variable = "DROVER_MARKS_TEST", .marks = marks, .spared_processes = {writer}});
  ASSERT_EQ(::dup2(out.get(), 1), 1);
  EXPECT_EQ(all, line(writer, Sign::output));
  EXPECT_TRUE(spared.empty());
}

}  // namespace
}  // namespace drover::process
