// Keepers that run one short command after another, through a real cradle.
#include <sched.h>
#include <sys/syscall.h>

#include "process/keeper_fixture.h"

namespace drover::process {
namespace {

class SparesTest : public KeeperTest {
 protected:
  // Runs something short and returns the pid of its keeper.
  pid_t keep(const std::string& script) {
    const EndingRecord ending = run(shell(script));
    EXPECT_EQ(ending.status.exited, 1);
    return keeper_of("r" + std::to_string(tag_));
  }
  pid_t keeper_of(const std::string& name) const {
    const auto journal = read_journal_state(file(name));
    EXPECT_TRUE(journal && journal->text.identity);
    return journal && journal->text.identity ? journal->text.identity->keeper.pid : 0;
  }
};

// A keeper with nothing left of a short command takes the next one; nothing of the first is found
// in the environment, directory or descriptors of the second.
TEST_F(SparesTest, AKeeperTakesTheNextCommand) {
  std::map<pid_t, int> kept;
  for (int i = 0; i < 50; ++i) ++kept[keep("echo $0; exit 0")];
  // On a busy machine one of them may take long, and its keeper exits; but not all.
  EXPECT_LT(kept.size(), 50U);
  for (std::uint64_t i = 1; i <= tag_; ++i) {
    EXPECT_EQ(output("r" + std::to_string(i)), "/bin/sh\n");
    // Its report comes a moment before it releases the lock.
    while (read_journal_state(file("r" + std::to_string(i)))->liveness == Liveness::alive) {
      ::sched_yield();
    }
  }
}

// The usage of a run is its own, without that of earlier commands of its keeper.
TEST_F(SparesTest, CountsEachCommandsUseAlone) {
  run(shell("exec dd if=/dev/zero of=/dev/null bs=16M count=1 2>/dev/null"));
  Command command = shell("");
  command.argv = {"/bin/true"};
  const EndingRecord ending = run(command);
  EXPECT_GT(ending.peak_rss_bytes, 0U);
  EXPECT_LT(ending.peak_rss_bytes, 16U << 20);
}

// A run has its own input, limits and cause, whatever the previous run received.
TEST_F(SparesTest, NothingCarriesOverBetweenRuns) {
  Command stubborn = shell("trap '' TERM; while :; do sleep 1000; done");
  stubborn.timeout_ms = 1;
  stubborn.grace_ms = 1;
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(run(stubborn).status.cause, StopCause::timeout);
    const EndingRecord next = run(shell("exit 4"));
    EXPECT_EQ(next.status.exit_code, 4);
    EXPECT_EQ(next.status.cause, StopCause::none);
    EXPECT_EQ(next.signaled, 0U);
  }
  EXPECT_TRUE(left_alive().empty());
}

// A command that changes the limits of its keeper changes those of no other command.
TEST_F(SparesTest, LimitsOfAKeeperAreNotPassedOn) {
  for (int i = 0; i < 20; ++i) {
    keep("prlimit --pid $PPID --nofile=50:50");
    keep("ulimit -Hn");
    EXPECT_NE(output("r" + std::to_string(tag_)), "50\n");
  }
}

// Killing a spare loses nothing, and the next run has a keeper.
TEST_F(SparesTest, KillingASpareLosesNothing) {
  for (int i = 0; i < 20; ++i) {
    const pid_t keeper = keep("exit 0");
    const Fd process(static_cast<int>(::syscall(SYS_pidfd_open, keeper, 0)));
    if (!process) continue;  // It exited by itself: its command had taken long.
    ::kill(keeper, SIGKILL);
    pollfd gone{.fd = process.get(), .events = POLLIN, .revents = 0};
    ASSERT_EQ(::poll(&gone, 1, 30'000), 1);
    request("after" + std::to_string(i), shell("exit 6"));
    Report report;
    do {
      report = next_report();  // A late report of the lost spare does not matter.
    } while (report.header.tag != tag_ || report.header.kind == ReportKind::started);
    ASSERT_EQ(report.header.kind, ReportKind::ended);
    EXPECT_EQ(report.ended.ending.status.exit_code, 6);
  }
}

// A keeper that is killed during its second command loses that one, not its first.
TEST_F(SparesTest, AKilledKeeperLosesItsCurrentCommand) {
  for (bool kept_both = false; !kept_both;) {
    const pid_t first = keep("exit 0");
    const std::string name = "long" + std::to_string(tag_);
    request(name, shell("sleep 1000"));
    EXPECT_EQ(tell(name, ControlOp::signal, SIGCONT), 0);  // It is running.
    const pid_t second = keeper_of(name);
    kept_both = first == second;  // If its first took long, it exited, and another keeper came.
    ASSERT_EQ(::kill(second, SIGKILL), 0);
    Report report;
    do {
      report = next_report();
    } while (report.header.kind == ReportKind::started);
    EXPECT_EQ(report.header.kind, ReportKind::lost);
    EXPECT_EQ(report.header.tag, tag_);
  }
  EXPECT_TRUE(left_alive().empty());
}

// Many requests at once are served at once, with or without spares.
TEST_F(SparesTest, ManyRequestsAllGetKeepers) {
  constexpr int kCrowd = 100;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < kCrowd; ++i) {
      request("c" + std::to_string(round) + "-" + std::to_string(i), shell("exit 0"));
    }
    for (int ended = 0; ended < kCrowd;) {
      const Report report = next_report();
      ASSERT_NE(report.header.kind, ReportKind::lost);
      ended += report.header.kind == ReportKind::ended ? 1 : 0;
    }
  }
}

}  // namespace
}  // namespace drover::process
