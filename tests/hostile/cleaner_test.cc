// Somebody tidies up under a running daemon: the socket, the runtime directory, the directory of
// runs, the database. The daemon creates again what it can and reports the rest, and no run is
// lost.
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "tests/hostile/attacked_flock.h"

namespace drover::hostile {
namespace {

namespace fs = std::filesystem;

class Cleaner : public ::testing::Test {
 protected:
  tests::Output shell(const std::string& script) {
    return tests::Started({"/bin/sh", "-c", script}, flock_.environment, "", flock_.file("home"))
        .finish();
  }
  std::string live(const std::string& name) {
    const std::string id = flock_.run("touch " + flock_.file(name) + "; exec sleep 1000");
    flock_.wait_for_file(name);
    return id;
  }
  void expect_alive_after_restart(const std::string& id) {
    flock_.daemon();
    flock_.wait_for_state(id, "running");
    EXPECT_EQ(tests::text_of(flock_.show(id), "state"), "running");
    flock_.ok({"cancel", id});
    EXPECT_EQ(tests::text_of(flock_.ended(id), "state"), "canceled");
  }
  std::string readiness() {
    return flock_.http("GET /readyz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  }
  tests::Flock flock_;
};

// The socket and the runtime directory come back, and the same daemon answers.
TEST_F(Cleaner, TheSocketComesBack) {
  const pid_t daemon = flock_.daemon();
  const std::string id = live("lives");
  for (const char* script :
       {"rm run/drover.sock", "rm -rf run; true", "mv run away", "rm -rf away; mv run away",
        "rm -rf run; mkdir -m 700 run; true", "touch other && mv other run/drover.sock"}) {
    SCOPED_TRACE(script);
    ASSERT_EQ(shell(script).code, 0);
    const boost::json::object status = flock_.json({"status", "--no-start"});
    EXPECT_EQ(status.at("pid").to_number<int>(), daemon);
    EXPECT_EQ(flock_.drover({"run", "--", "true"}).code, 0);
    EXPECT_EQ(flock_.daemon(), daemon);
  }
  EXPECT_EQ(tests::text_of(flock_.show(id), "state"), "running");
  flock_.ok({"stop"});
  EXPECT_FALSE(fs::exists(flock_.home().socket())) << "a stopped daemon leaves no socket";
  expect_alive_after_restart(id);
  flock_.expect_verified();
}

// The keepers' sockets come back when they are needed: input and signals reach a run as before.
TEST_F(Cleaner, AKeeperListensAgain) {
  const std::string got = flock_.file("got");
  const std::string id =
      flock_.run("trap 'echo trapped; exit 5' USR1; touch " + flock_.file("lives") +
                     "; read line; echo \"$line\" > " + got + "; while :; do sleep 0.01; done",
                 {"--stdin"});
  flock_.wait_for_file("lives");
  EXPECT_EQ(flock_.drover({"signal", id, "CONT"}).code, 0);  // Its socket exists.
  shell("rm -rf run/k");
  EXPECT_EQ(flock_.drover({"send", id, "words"}).code, 0);
  flock_.wait_for_file("got");
  shell("rm -rf run");
  EXPECT_EQ(flock_.drover({"signal", id, "USR1"}).code, 0);
  EXPECT_EQ(flock_.ended(id).at("exit_code").to_number<int>(), 5);
}

// While the runtime directory cannot be created, the daemon is found by its lock: doctor and status
// name it, and stop stops it. Once the directory can be created, the daemon listens again.
TEST_F(Cleaner, TheDaemonIsFoundByItsLock) {
  const pid_t daemon = flock_.daemon();
  const std::string id = live("lives");
  std::ofstream(flock_.file("home/file")) << "";
  const auto exchange = [&] {
    ASSERT_EQ(::renameat2(AT_FDCWD, flock_.file("home/run").c_str(), AT_FDCWD,
                          flock_.file("home/file").c_str(), RENAME_EXCHANGE),
              0);
  };
  const std::string pid = "pid " + std::to_string(daemon);
  exchange();
  const auto doctor = flock_.start({"doctor"});
  const auto status = flock_.start({"status", "--no-start"});
  const tests::Output told = doctor->finish();
  EXPECT_EQ(told.code, 1);
  EXPECT_NE(told.out.find(pid), std::string::npos) << told.out;
  const tests::Output refused = status->finish();
  EXPECT_EQ(refused.code, 7);
  EXPECT_NE(refused.err.find(pid), std::string::npos) << refused.err;
  exchange();
  EXPECT_EQ(flock_.json({"status", "--no-start"}).at("pid").to_number<int>(), daemon);
  exchange();
  const Fd process = tests::open_pid(daemon);
  EXPECT_EQ(flock_.drover({"stop"}).code, 0);
  tests::wait_gone(process);
  exchange();
  EXPECT_NE(flock_.daemon(), daemon);
  expect_alive_after_restart(id);
}

// `stop --kill` reaches a daemon without a socket, too: it kills all runs as soon as a daemon can
// listen, and until then names the processes that live.
TEST_F(Cleaner, KillsAllRunsWithoutASocket) {
  const pid_t daemon = flock_.daemon();
  const std::string id = live("lives");
  std::ofstream(flock_.file("home/file")) << "";
  const auto exchange = [&] {
    ASSERT_EQ(::renameat2(AT_FDCWD, flock_.file("home/run").c_str(), AT_FDCWD,
                          flock_.file("home/file").c_str(), RENAME_EXCHANGE),
              0);
  };
  exchange();
  const Fd process = tests::open_pid(daemon);
  const tests::Output told = flock_.drover({"stop", "--kill"});
  EXPECT_NE(told.code, 0);
  EXPECT_NE(told.err.find(id), std::string::npos) << told.err;
  tests::wait_gone(process);
  EXPECT_FALSE(flock_.alive().empty());
  exchange();
  EXPECT_EQ(flock_.drover({"stop", "--kill"}).code, 0);
  EXPECT_TRUE(flock_.alive().empty());
  EXPECT_EQ(tests::text_of(flock_.show(id), "state"), "canceled");
}

// A directory of runs that was removed and created again works at once, for every keeper.
TEST_F(Cleaner, ARecreatedDirectoryOfRunsWorks) {
  EXPECT_EQ(flock_.drover({"run", "--", "true"}).code, 0);  // Leaves an idle keeper.
  const pid_t daemon = flock_.daemon();
  for (const char* script : {"mv state/runs gone && mkdir -m 700 state/runs",
                             "rm -rf state/runs && mkdir -m 700 state/runs"}) {
    SCOPED_TRACE(script);
    ASSERT_EQ(shell(script).code, 0);
    for (int i = 0; i < 3; ++i) {
      const tests::Output output = flock_.drover({"run", "--", "sh", "-c", "echo words; exit 3"});
      EXPECT_EQ(output.code, 3) << output.err;
      EXPECT_EQ(output.out, "words\n");
    }
  }
  EXPECT_EQ(flock_.ok({"logs", "@last"}), "words");
  EXPECT_EQ(flock_.daemon(), daemon);
}

// The same while runs are active: one whose file has been moved away, and comes back before it
// ends; and one whose file was copied. Their environments are removed when they have finished.
TEST_F(Cleaner, ARunOutlivesAnExchangeOfTheDirectoryOfRuns) {
  const pid_t daemon = flock_.daemon();
  for (const char* script : {"mv state/runs gone && mkdir -m 700 state/runs && "
                             "mv gone/* state/runs/ && rmdir gone",
                             "cp -a state/runs copy && rm -rf state/runs && mv copy state/runs"}) {
    SCOPED_TRACE(script);
    fs::remove(flock_.file("go"));
    flock_.environment["A_SECRET"] = "Xk7mQp2vRt9w";
    const std::string id = flock_.run(tests::until_file(flock_.file("go")) + "exit 3");
    flock_.environment.erase("A_SECRET");
    flock_.wait_for_state(id, "running");
    ASSERT_EQ(shell(script).code, 0);
    EXPECT_EQ(flock_.drover({"run", "--", "sh", "-c", "exit 4"}).code, 4);
    flock_.touch("go");
    flock_.ended(id);
    const std::string file = flock_.home().run_file(*RunId::parse(id));
    while (read_file(file, 1 << 20).value_or("").find("Xk7mQp2vRt9w") != std::string::npos) {
    }
    flock_.expect_verified();
  }
  EXPECT_EQ(flock_.daemon(), daemon);
}

// A database that is removed or replaced is noticed at once: nothing is recorded that would be
// lost. The next daemon takes up the runs from their files.
TEST_F(Cleaner, ALostDatabaseIsNoticed) {
  for (const char* script :
       {"rm state/drover.db*", "cp state/drover.db copy && mv copy state/drover.db",
        "rm state/drover.db state/drover.db-wal state/drover.db-shm state/generation"}) {
    SCOPED_TRACE(script);
    const std::string id = live("lives");
    fs::remove(flock_.file("lives"));
    EXPECT_TRUE(readiness().starts_with("HTTP/1.1 200")) << readiness();
    ASSERT_EQ(shell(script).code, 0);
    EXPECT_TRUE(readiness().starts_with("HTTP/1.1 503")) << readiness();
    EXPECT_NE(readiness().find("database_gone"), std::string::npos);
    const tests::Output refused = flock_.drover({"run", "--", "touch", flock_.file("ran")});
    EXPECT_EQ(refused.code, 125);
    EXPECT_NE(refused.err.find("drover stop"), std::string::npos) << refused.err;
    EXPECT_FALSE(fs::exists(flock_.file("ran")));
    const tests::Output doctor = flock_.drover({"doctor"});
    EXPECT_EQ(doctor.code, 1);
    EXPECT_NE(doctor.out.find("while the daemon runs"), std::string::npos) << doctor.out;
    flock_.ok({"stop"});
    expect_alive_after_restart(id);
    flock_.expect_verified();
  }
}

// The memory of the daemon contains the owner's token: it is not written to a core file. A command
// dumps core as before.
TEST_F(Cleaner, OnlyCommandsDumpCore) {
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_CORE, &limit), 0);
  if (limit.rlim_max != RLIM_INFINITY) GTEST_SKIP() << "core dumps are restricted here";
  // Our own child, because only its parent learns whether a process dumped core.
  const auto start = [&](const std::vector<std::string>& argv, const std::string& cwd) {
    fs::create_directories(flock_.file(cwd));
    const pid_t child = ::fork();
    if (child != 0) return child;
    ::setenv("DROVER_HOME", flock_.environment["DROVER_HOME"].c_str(), 1);
    limit.rlim_cur = limit.rlim_max;
    std::vector<char*> words;
    for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    if (::setrlimit(RLIMIT_CORE, &limit) == 0 && ::chdir(flock_.file(cwd).c_str()) == 0) {
      ::execv(words[0], words.data());
    }
    ::_exit(99);
  };
  const std::vector<std::string> abort{"/bin/sh", "-c", "kill -ABRT $$"};
  int status = 0;
  const pid_t other = start(abort, "outside");
  ASSERT_EQ(::waitpid(other, &status, 0), other);

  const pid_t daemon = start({program("droverd")}, "daemon");
  while (flock_.drover({"status", "--no-start"}).code != 0) {
  }
  EXPECT_EQ(flock_.daemon(), daemon);
  EXPECT_EQ(flock_.ok({"run", "--", "sh", "-c", "ulimit -c"}), "unlimited");
  // A command leaves a core file where a process outside of Drover does.
  fs::create_directory(flock_.file("inside"));
  flock_.drover({"run", "--cwd", flock_.file("inside"), "--", abort[0], abort[1], abort[2]});
  EXPECT_EQ(fs::is_empty(flock_.file("inside")), fs::is_empty(flock_.file("outside")));
  ASSERT_EQ(::kill(daemon, SIGABRT), 0);
  ASSERT_EQ(::waitpid(daemon, &status, 0), daemon);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_FALSE(WCOREDUMP(status)) << "the daemon left a core file";
  EXPECT_TRUE(fs::is_empty(flock_.file("daemon")));
}

}  // namespace
}  // namespace drover::hostile
