// Starting a daemon: the real program, with a shell script beside it as droverd.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "base/home_lock.h"
#include "cli/client/fake_daemon.h"

namespace drover::cli {
namespace {

class LaunchDaemon : public testing::Test {
 protected:
  LaunchDaemon()
      : daemon_([](const ReceivedRequest&, Reply& reply) { reply.json(200, R"({"pid":7})"); }),
        bin_(daemon_.home() + "/bin") {
    daemon_.go_away();
    std::filesystem::create_directory(bin_);
    EXPECT_TRUE(home().create());
    // A copy, not a link: the program looks for droverd beside its real path.
    std::filesystem::copy_file(DROVER_PROGRAM, bin_ + "/drover");
    for (const char* name : {"/go", "/on"}) ::mkfifo((daemon_.home() + name).c_str(), 0600);
  }

  void droverd(const std::string& script) {
    std::ofstream(bin_ + "/droverd") << "#!/bin/sh\n" << script;
    ::chmod((bin_ + "/droverd").c_str(), 0700);
  }

  Program start(const std::vector<std::string>& words) {
    return Program(words, {.home = daemon_.home(), .program = bin_ + "/drover"});
  }

  // Waits until the script reads from this fifo, and lets it continue. Use each fifo once: bytes
  // written while its reader closes it are lost.
  void let(const std::string& name) { std::ofstream(daemon_.home() + "/" + name) << "go\n"; }

  Home home() const {
    return {.config = daemon_.home() + "/config",
            .state = daemon_.home() + "/state",
            .runtime = daemon_.home() + "/run"};
  }

  FakeDaemon daemon_;
  std::string bin_;
};

// S1: the first command starts a daemon, waits until it listens, and continues. The daemon has its
// own session and no access to our terminal.
TEST_F(LaunchDaemon, FirstCommandStartsTheDaemon) {
  droverd(R"(read x < $DROVER_HOME/go
read x < $DROVER_HOME/on
echo "$1 $2 $(readlink /proc/$$/fd/0) $PWD" > $DROVER_HOME/facts
cut -d' ' -f1,6 /proc/$$/stat >> $DROVER_HOME/facts
echo ready >&3
)");
  Program program = start({"status", "--json"});
  let("go");  // The script runs, so nobody was listening when the program connected.
  daemon_.come_back();
  let("on");
  const ProgramResult ended = program.wait();
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(ended.out, "{\"pid\":7}\n");
  std::ifstream facts(daemon_.home() + "/facts");
  std::string first;
  std::getline(facts, first);
  EXPECT_EQ(first, "--ready-fd 3 /dev/null /");
  pid_t session = 0;
  facts >> session >> session;
  EXPECT_NE(session, ::getsid(0));
}

// If the daemon cannot start, the program prints the reason and exits with 7.
TEST_F(LaunchDaemon, ReportsWhyTheDaemonDidNotStart) {
  droverd("echo 'database_newer: the database is newer; update drover' >&3; exit 125\n");
  const ProgramResult ended = start({"ps"}).wait();
  EXPECT_EQ(ended.code, 7);
  EXPECT_NE(ended.err.find("update drover"), std::string::npos) << ended.err;
}

// A daemon that exits without a report is an error; the program does not hang.
TEST_F(LaunchDaemon, DoesNotHangIfTheDaemonExitsSilently) {
  droverd("exit 1\n");
  const ProgramResult ended = start({"ps"}).wait();
  EXPECT_EQ(ended.code, 7);
  EXPECT_NE(ended.err.find("droverd.log"), std::string::npos) << ended.err;
}

// If two commands start a daemon at once, the one that loses the race waits for the other's daemon.
TEST_F(LaunchDaemon, WaitsForTheDaemonOfAnotherCommand) {
  const auto lock = take_home(home());
  ASSERT_TRUE(lock);
  droverd("echo 'daemon_running: another daemon has it' >&3; read x < $DROVER_HOME/go; exit 6\n");
  Program program = start({"status", "--json"});
  let("go");  // The script has reported; nobody listens yet.
  daemon_.come_back();
  EXPECT_EQ(program.wait().out, "{\"pid\":7}\n");
}

// A daemon that is shutting down never listens again: the program starts the next one.
TEST_F(LaunchDaemon, StartsAfterAnotherDaemonHasExited) {
  auto lock = take_home(home());
  ASSERT_TRUE(lock);
  droverd(R"(if mkdir $DROVER_HOME/first 2>/dev/null; then
  echo 'daemon_running: another daemon has it' >&3
  read x < $DROVER_HOME/go
  exit 6
fi
read x < $DROVER_HOME/on
echo ready >&3
)");
  Program program = start({"status", "--json"});
  let("go");
  lock->close();
  std::ofstream on(daemon_.home() + "/on");  // Returns when the second script opens it.
  daemon_.come_back();
  on << "go\n" << std::flush;
  const ProgramResult ended = program.wait();
  EXPECT_EQ(ended.out, "{\"pid\":7}\n") << ended.err;
}

// Without a droverd in the same directory, no daemon can be started.
TEST_F(LaunchDaemon, FailsWithoutDroverd) {
  const ProgramResult ended = start({"ps"}).wait();
  EXPECT_EQ(ended.code, 7);
  EXPECT_NE(ended.err.find("no " + bin_ + "/droverd"), std::string::npos) << ended.err;
}

// `serve` replaces itself with the daemon and passes its arguments on.
TEST_F(LaunchDaemon, ServeBecomesTheDaemon) {
  droverd("echo serving $1; exit 9\n");
  const ProgramResult ended = start({"serve", "--", "--retain-count"}).wait();
  EXPECT_EQ(ended.code, 9);
  EXPECT_EQ(ended.out, "serving --retain-count\n");
}

// `doctor --verify` prints the report of droverd and exits with its code.
TEST_F(LaunchDaemon, VerifyPrintsTheReportOfDroverd) {
  droverd("echo \"$1 $2\"; exit 4\n");
  const ProgramResult ended = start({"doctor", "--verify", "--json"}).wait();
  EXPECT_EQ(ended.code, 4);
  EXPECT_EQ(ended.out, "--verify --json\n");
}

}  // namespace
}  // namespace drover::cli
