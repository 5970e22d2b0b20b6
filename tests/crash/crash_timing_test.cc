// Crashes at critical points: everything that was written before the crash counts.
#include <gtest/gtest.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>
#include <filesystem>

#include "base/journal.h"
#include "process/pid_ref.h"
#include "tests/harness.h"

namespace drover::tests {
namespace {

class CrashTiming : public ::testing::Test {
 protected:
  JournalText journal(const std::string& id) {
    const auto journal = read_journal_state(flock_.home().runs() + "/" + id + ".run");
    EXPECT_TRUE(journal);
    return journal ? journal->text : JournalText{};
  }
  // Whether the socket accepts connections: a stale one may exist.
  bool somebody_listens() {
    const Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string path = flock_.home().socket();
    std::memcpy(address.sun_path, path.data(), path.size());
    return ::connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }
  Flock flock_;
};

// A keeper that is killed while it sweeps has already written the status: the exit code is known,
// and the remaining processes are killed.
TEST_F(CrashTiming, AKeeperKilledInItsSweepLosesNoExitCode) {
  const std::string id = flock_.run(
      "(setsid sh -c 'trap \"\" TERM HUP; echo > " + flock_.file("up") +
          "; while :; do sleep 1000; done' &) ; " + until_file(flock_.file("up")) + "exit 11",
      {"--grace", "1h"});
  while (!journal(id).status) ::sched_yield();
  ASSERT_EQ(::kill(flock_.keeper_of(id), SIGKILL), 0);
  const auto record = flock_.ended(id);
  EXPECT_EQ(text_of(record, "state"), "failed");
  EXPECT_EQ(record.at("exit_code").to_number<int>(), 11);
  EXPECT_TRUE(flock_.alive().empty());
  flock_.expect_verified();
}

// The socket of a killed keeper is removed with its run.
TEST_F(CrashTiming, TheSocketOfAKilledKeeperIsRemoved) {
  const std::string id = flock_.ok({"run", "-d", "--", "sleep", "1000"});
  flock_.ok({"signal", id, "CONT"});  // Its socket exists now.
  EXPECT_FALSE(std::filesystem::is_empty(flock_.home().controls()));
  ASSERT_EQ(::kill(flock_.keeper_of(id), SIGKILL), 0);
  EXPECT_EQ(text_of(flock_.ended(id), "reason"), "keeper_lost");
  EXPECT_TRUE(std::filesystem::is_empty(flock_.home().controls()));
}

// A killed keeper takes its command with it, even if no other process of Drover is alive.
TEST_F(CrashTiming, AKilledKeeperTakesItsCommandWithIt) {
  const std::string id = flock_.ok({"run", "-d", "--", "sleep", "1000"});
  flock_.wait_for_state(id, "running");
  const pid_t cradle = flock_.cradle(), keeper = flock_.keeper_of(id);
  const Fd command = process::open_process(process::ref_of(journal(id).started->command.pid));
  ASSERT_TRUE(command);
  flock_.kill_daemon();
  for (const pid_t pid : {cradle, keeper}) ASSERT_EQ(::kill(pid, SIGKILL), 0);
  pollfd gone{.fd = command.get(), .events = POLLIN, .revents = 0};
  EXPECT_EQ(::poll(&gone, 1, 60'000), 1);
  EXPECT_EQ(text_of(flock_.ended(id), "reason"), "keeper_lost");
}

// H10: the daemon listens only after recovery: the first client sees only correct runs.
TEST_F(CrashTiming, TheDaemonListensAfterRecovery) {
  std::vector<pid_t> orphans{flock_.cradle()};
  for (int i = 0; i < 16; ++i) {
    const std::string id = flock_.ok({"run", "-d", "--", "sleep", "1000"});
    flock_.wait_for_state(id, "running");
    orphans.push_back(flock_.keeper_of(id));
  }
  flock_.kill_daemon();
  // The cradle first: a living one would start to clean up after the keepers. Each process keeps
  // its lock until it is gone, and the next daemon would adopt a keeper that still holds one.
  for (const pid_t pid : orphans) {
    const Fd process = open_pid(pid);
    ASSERT_EQ(::kill(pid, SIGKILL), 0);
    wait_gone(process);
  }

  const Started daemon({DROVER_BIN "/droverd"}, flock_.environment, "");
  while (!somebody_listens()) ::sched_yield();
  const std::string answer =
      flock_.http("GET /api/runs?active=true HTTP/1.1\r\nHost: d\r\nConnection: close\r\n\r\n");
  EXPECT_NE(answer.find("\"runs\":[]"), std::string::npos) << answer;
  flock_.expect_verified();
}

}  // namespace
}  // namespace drover::tests
