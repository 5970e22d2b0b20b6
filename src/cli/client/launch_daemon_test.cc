// Bringing up a daemon: the real program, with a script of ours standing beside it as droverd.
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
    // A copy: the program looks for droverd beside its true self.
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

  // Waits until the script reads from this fifo, and lets it go on. One fifo for one wait: what is
  // written to one that is being closed is lost.
  void let(const std::string& name) { std::ofstream(daemon_.home() + "/" + name) << "go\n"; }

  Home home() const {
    return {.config = daemon_.home() + "/config",
            .state = daemon_.home() + "/state",
            .runtime = daemon_.home() + "/run"};
  }

  FakeDaemon daemon_;
  std::string bin_;
};

// S1: the first command starts a daemon, waits until its doors are open, and goes on; the daemon
// has a session of its own and nothing of our terminal.
TEST_F(LaunchDaemon, TheFirstCommandStartsOne) {
  droverd(R"(read x < $DROVER_HOME/go
read x < $DROVER_HOME/on
echo "$1 $2 $(readlink /proc/$$/fd/0) $PWD" > $DROVER_HOME/facts
cut -d' ' -f1,6 /proc/$$/stat >> $DROVER_HOME/facts
echo ready >&3
)");
  Program program = start({"status", "--json"});
  let("go");  // It runs: so nobody listened when the program looked.
  daemon_.come_back();
  let("on");
  const Ended ended = program.wait();
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

// What keeps it from starting is told, and is 7.
TEST_F(LaunchDaemon, TellsWhyItDidNotStart) {
  droverd("echo 'database_newer: the database is newer; update drover' >&3; exit 125\n");
  const Ended ended = start({"ps"}).wait();
  EXPECT_EQ(ended.code, 7);
  EXPECT_NE(ended.err.find("update drover"), std::string::npos) << ended.err;
}

// A daemon that dies without a word is no reason to hang.
TEST_F(LaunchDaemon, SurvivesASilentDeath) {
  droverd("exit 1\n");
  const Ended ended = start({"ps"}).wait();
  EXPECT_EQ(ended.code, 7);
  EXPECT_NE(ended.err.find("droverd.log"), std::string::npos) << ended.err;
}

// Two commands at once: who loses waits for the winner's daemon.
TEST_F(LaunchDaemon, WaitsForTheOneThatCameFirst) {
  const auto lock = take_home(home());
  ASSERT_TRUE(lock);
  droverd("echo 'daemon_running: another daemon has it' >&3; read x < $DROVER_HOME/go; exit 6\n");
  Program program = start({"status", "--json"});
  let("go");  // It has told; nobody listens yet.
  daemon_.come_back();
  EXPECT_EQ(program.wait().out, "{\"pid\":7}\n");
}

// One that has closed its doors and is about to leave never listens again: the next is ours.
TEST_F(LaunchDaemon, StartsAfterTheOneThatLeaves) {
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
  std::ofstream on(daemon_.home() + "/on");  // Returns when the second one reads there.
  daemon_.come_back();
  on << "go\n" << std::flush;
  const Ended ended = program.wait();
  EXPECT_EQ(ended.out, "{\"pid\":7}\n") << ended.err;
}

// Without a droverd beside it there is nothing to start.
TEST_F(LaunchDaemon, NothingToStart) {
  const Ended ended = start({"ps"}).wait();
  EXPECT_EQ(ended.code, 7);
  EXPECT_NE(ended.err.find("no " + bin_ + "/droverd"), std::string::npos) << ended.err;
}

// `serve` becomes the daemon and passes its words on.
TEST_F(LaunchDaemon, ServeBecomesTheDaemon) {
  droverd("echo serving $1; exit 9\n");
  const Ended ended = start({"serve", "--", "--retain-count"}).wait();
  EXPECT_EQ(ended.code, 9);
  EXPECT_EQ(ended.out, "serving --retain-count\n");
}

// `doctor --verify` is the daemon's own report and exit code.
TEST_F(LaunchDaemon, VerifyIsTheDaemonsReport) {
  droverd("echo \"$1 $2\"; exit 4\n");
  const Ended ended = start({"doctor", "--verify", "--json"}).wait();
  EXPECT_EQ(ended.code, 4);
  EXPECT_EQ(ended.out, "--verify --json\n");
}

}  // namespace
}  // namespace drover::cli
