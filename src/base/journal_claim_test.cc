// Only one process may start a run's command: claims, locks and recovery, across real processes.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <thread>

#include "base/fd.h"
#include "base/journal.h"

namespace drover {
namespace {

namespace fs = std::filesystem;

class Claim : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = fs::temp_directory_path() / "drover-claim-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    directory = name;
    file = directory + "/1.run";
    clear();
  }
  void TearDown() override { fs::remove_all(directory); }

  // As the daemon creates it.
  void clear() const { ASSERT_TRUE(replace_file(file, std::string(kJournalBytes, '\0'))); }

  Liveness liveness() const {
    const auto journal = read_journal_state(file);
    EXPECT_TRUE(journal) << journal.error().message;
    return journal ? journal->liveness : Liveness::unclaimed;
  }
  // As a keeper does. Empty: another keeper has it.
  Fd claim() const {
    Fd journal(::open(file.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
    IdentityRecord who;
    who.keeper.pid = ::getpid();
    const auto claimed = claim_journal(journal.get(), who);
    EXPECT_TRUE(claimed) << claimed.error();
    return claimed && *claimed ? std::move(journal) : Fd();
  }
  bool claims() const { return bool(claim()); }
  // Keeps the lock until the process dies.
  bool claims_and_holds() const { return claim().release() >= 0; }
  bool forbids() const {
    const auto forbidden = forbid_launch(file);
    EXPECT_TRUE(forbidden) << forbidden.error().message;
    return forbidden && *forbidden;
  }

  std::string directory, file;
};

struct Pipe {
  Pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) std::abort();
    out = Fd(ends[0]);
    in = Fd(ends[1]);
  }
  bool wait_for_byte() const {
    char byte = 0;
    return ::read(out.get(), &byte, 1) == 1;
  }
  void wait_for_end() {
    in.close();
    char byte = 0;
    while (::read(out.get(), &byte, 1) > 0) {
    }
  }
  Fd out, in;
};

void end(pid_t child, int signal) {
  ::kill(child, signal);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
}

// One claim succeeds, and no later one: not while the lock is taken, and not after its owner is
// gone.
TEST_F(Claim, IsExclusiveForEver) {
  EXPECT_EQ(liveness(), Liveness::unclaimed);
  {
    const Fd claimed = claim();
    ASSERT_TRUE(claimed);
    EXPECT_FALSE(claims());
    EXPECT_EQ(liveness(), Liveness::alive);
  }
  EXPECT_EQ(liveness(), Liveness::dead);
  EXPECT_FALSE(claims());
}

// Of many concurrent claims, one gets the file.
TEST_F(Claim, HasOneWinner) {
  for (int round = 0; round < 50; ++round) {
    clear();
    std::vector<Fd> won(8);
    {
      std::vector<std::jthread> threads;
      for (Fd& mine : won) threads.emplace_back([&] { mine = claim(); });
    }
    ASSERT_EQ(std::ranges::count_if(won, [](const Fd& f) { return bool(f); }), 1);
  }
}

// A claim that fails for another reason is an error, not a lost race; without a file there is
// nothing to claim.
TEST_F(Claim, FailsWithoutAFile) {
  EXPECT_EQ(claim_journal(-1, {}).error(), EBADF);
  EXPECT_TRUE(forbid_launch(directory + "/none.run").value());
  EXPECT_EQ(read_journal_state(directory + "/none.run")->liveness, Liveness::unclaimed);
  EXPECT_FALSE(forbid_launch(file + "/none.run"));
  EXPECT_FALSE(read_journal_state(file + "/none.run"));
}

// Another process sees a keeper alive and, as soon as it is killed, dead; its records stay
// readable. Probing does not affect the lock.
TEST_F(Claim, ProbeSeesAliveAndDeadAcrossProcesses) {
  Pipe ready;
  const pid_t keeper = ::fork();
  if (keeper == 0) {
    const Fd journal = claim();
    if (!journal) ::_exit(1);
    if (::write(ready.in.get(), "r", 1) != 1) ::_exit(1);
    while (true) ::pause();
  }
  ASSERT_TRUE(ready.wait_for_byte());
  for (int look = 0; look < 3; ++look) {
    const auto journal = read_journal_state(file);
    ASSERT_TRUE(journal);
    EXPECT_EQ(journal->liveness, Liveness::alive);
    ASSERT_TRUE(journal->text.identity);
    EXPECT_EQ(journal->text.identity->keeper.pid, keeper);
  }
  EXPECT_FALSE(forbids());
  end(keeper, SIGKILL);
  const auto journal = read_journal_state(file);
  ASSERT_TRUE(journal);
  EXPECT_EQ(journal->liveness, Liveness::dead);
  EXPECT_EQ(journal->text.identity->keeper.pid, keeper);
  EXPECT_FALSE(forbids());  // A keeper has claimed it: that cannot be undone.
}

// A command that outlives its keeper does not keep the lock: it was closed at exec.
TEST_F(Claim, TheLockDiesWithTheKeeperNotWithItsCommand) {
  Pipe input, executed;
  Pipe ready;
  const pid_t keeper = ::fork();
  if (keeper == 0) {
    const Fd journal = claim();
    if (!journal) ::_exit(1);
    if (::fork() == 0) {
      ::dup2(input.out.get(), STDIN_FILENO);
      ::execlp("cat", "cat", nullptr);
      ::_exit(127);
    }
    executed.wait_for_end();
    if (::write(ready.in.get(), "r", 1) != 1) ::_exit(1);
    while (true) ::pause();
  }
  executed.in.close();
  ASSERT_TRUE(ready.wait_for_byte());
  EXPECT_EQ(liveness(), Liveness::alive);
  end(keeper, SIGKILL);
  EXPECT_EQ(liveness(), Liveness::dead);
  input.in.close();  // Lets cat exit.
}

// After recovery forbade the launch no keeper can start, a second look finds the same, and allowing
// it makes exactly one launch possible.
TEST_F(Claim, ForbiddenUntilAllowed) {
  EXPECT_TRUE(forbids());
  EXPECT_TRUE(forbids());
  EXPECT_FALSE(claims());
  EXPECT_EQ(liveness(), Liveness::dead);
  ASSERT_TRUE(allow_launch(file));
  ASSERT_TRUE(allow_launch(file));
  EXPECT_TRUE(claims());
  EXPECT_FALSE(claims());
}

// A keeper that died before it recorded its identity never started: another one may.
TEST_F(Claim, ALockAloneDoesNotClaim) {
  {
    const Fd journal(::open(file.c_str(), O_RDWR | O_CLOEXEC));
    struct flock lock{};
    lock.l_type = F_WRLCK;
    ASSERT_EQ(::fcntl(journal.get(), F_OFD_SETLK, &lock), 0);
    EXPECT_EQ(liveness(), Liveness::alive);
    EXPECT_FALSE(claims());
    EXPECT_FALSE(forbids());
  }
  EXPECT_EQ(liveness(), Liveness::unclaimed);
  EXPECT_TRUE(claims());
}

// Allowing undoes only the mark of recovery, never a keeper's record.
TEST_F(Claim, AllowingKeepsAKeepersIdentity) {
  EXPECT_TRUE(claims());
  ASSERT_TRUE(allow_launch(file));
  EXPECT_EQ(liveness(), Liveness::dead);
  EXPECT_FALSE(claims());
}

// Runs `traced` in a child, stops it before or after its n-th system call, runs `meanwhile` here,
// and continues the child. Returns the result of `traced`, or nothing if it finished before stop n.
std::optional<bool> interleave(int n, const std::function<bool()>& traced,
                               const std::function<void()>& meanwhile) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    ::raise(SIGSTOP);
    ::_exit(traced() ? 1 : 0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ::ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
  bool reached = false;
  for (int stop = 0;; ++stop) {
    ::ptrace(PTRACE_SYSCALL, child, nullptr, nullptr);
    if (::waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) break;
    __ptrace_syscall_info info{};
    ::ptrace(PTRACE_GET_SYSCALL_INFO, child, sizeof info, &info);
    if (info.op == PTRACE_SYSCALL_INFO_ENTRY && info.entry.nr == SYS_exit_group) continue;
    if (stop != n) continue;
    meanwhile();
    reached = true;
  }
  if (!reached || !WIFEXITED(status)) return std::nullopt;
  return WEXITSTATUS(status) == 1;
}

// H10: a request that was in progress when the daemon died, against the recovery of the next one:
// at whatever point of the keeper's claim recovery runs, exactly one of them gets the file.
TEST_F(Claim, RecoveryDuringAClaimHasOneWinner) {
  int stops = 0;
  int kept = 0;
  for (;; ++stops) {
    clear();
    bool forbidden = false;
    const auto claimed =
        interleave(stops, [&] { return claims_and_holds(); }, [&] { forbidden = forbids(); });
    if (!claimed) break;
    EXPECT_NE(*claimed, forbidden) << "at stop " << stops;
    if (!*claimed) {
      EXPECT_TRUE(forbids()) << "at stop " << stops;
    }
    kept += *claimed ? 1 : 0;
  }
  EXPECT_GE(stops, 8);  // Opening, locking, looking and writing, each before and after.
  EXPECT_GT(kept, 0);
  EXPECT_LT(kept, stops);
}

// The reverse: a keeper claims at any point of recovery.
TEST_F(Claim, AClaimDuringRecoveryHasOneWinner) {
  int stops = 0;
  for (;; ++stops) {
    clear();
    Fd claimed;
    const auto forbidden = interleave(stops, [&] { return forbids(); }, [&] { claimed = claim(); });
    if (!forbidden) break;
    EXPECT_NE(bool(claimed), *forbidden) << "at stop " << stops;
  }
  EXPECT_GE(stops, 8);
}

// Recovery forbids, then allows again for its own launch: wherever the old request is by then,
// exactly one of the two starts.
TEST_F(Claim, AnOldRequestAndTheNewLaunchHaveOneWinner) {
  for (int stop = 0;; ++stop) {
    clear();
    Fd mine;
    const auto theirs = interleave(
        stop, [&] { return claims_and_holds(); },
        [&] {
          if (!forbids()) return;
          ASSERT_TRUE(allow_launch(file));
          mine = claim();
        });
    if (!theirs) break;
    EXPECT_NE(bool(mine), *theirs) << "at stop " << stop;
  }
}

}  // namespace
}  // namespace drover
