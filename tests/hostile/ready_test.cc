// S2: ready means that a run can start and end now. A daemon that cannot says which step hangs,
// within a bound, and is ready again by itself. (A disk that is full: tests/disk.)
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

#include "tests/hostile/attacked_flock.h"

namespace drover::hostile {
namespace {

namespace fs = std::filesystem;

class Ready : public AttackedFlock {
 protected:
  Refusal ready() const { return ask("GET", "/readyz"); }
  // Stops a process until the end of the test.
  struct Stopped {
    explicit Stopped(pid_t process) : pid(process) { EXPECT_EQ(::kill(pid, SIGSTOP), 0); }
    ~Stopped() { ::kill(pid, SIGCONT); }
    const pid_t pid;
  };
  size_t files() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(flock_.home().runs()), {}));
  }
};

// An idle daemon is ready; the probe that says so is in no list, no log and no directory.
TEST_F(Ready, AnIdleDaemonProvesItWithoutATrace) {
  flock_.daemon();
  EXPECT_EQ(ready().status, 200);
  EXPECT_EQ(ask("POST", "/api/probe", "{}").status, 200);
  const tests::Output doctor = flock_.drover({"doctor"});
  EXPECT_EQ(doctor.code, 0) << doctor.out;
  EXPECT_NE(doctor.out.find("ok   ready          a probe run started and finished in "),
            std::string::npos)
      << doctor.out;
  EXPECT_TRUE(flock_.json({"ps", "-a"}).at("runs").as_array().empty());
  EXPECT_TRUE(flock_.json({"events"}).at("events").as_array().empty());
  EXPECT_EQ(flock_.drover({"show", "@last"}).code, 5);  // There is none.
  EXPECT_EQ(files(), 0U);
  flock_.expect_verified();
}

// A stopped cradle starts nothing: every caller gets that answer within the bound. The daemon
// continues the cradle, and is ready again by itself.
TEST_F(Ready, AStoppedCradleIsNamedAndTheDaemonRecovers) {
  flock_.daemon();
  {
    const Stopped cradle(flock_.cradle());
    std::vector<std::thread> callers;
    callers.reserve(8);
    for (int caller = 0; caller < 8; ++caller) {
      callers.emplace_back([&] {
        const Refusal refusal = ready();
        EXPECT_EQ(refusal.status, 503);
        EXPECT_EQ(refusal.code, "not_ready_launch") << refusal.message;
      });
    }
    for (std::thread& caller : callers) caller.join();
    EXPECT_EQ(files(), 1U) << "the callers did not share one probe";
  }
  while (ready().status != 200) {
  }
  EXPECT_EQ(end_of_a_run(), "completed");
  flock_.expect_verified();
}

// The doctor names the step, too, and fails.
TEST_F(Ready, TheDoctorNamesTheStep) {
  flock_.daemon();
  const Stopped cradle(flock_.cradle());
  const tests::Output doctor = flock_.drover({"doctor"});
  EXPECT_EQ(doctor.code, 1);
  EXPECT_NE(doctor.out.find("bad  ready          no keeper has started a probe run"),
            std::string::npos)
      << doctor.out;
}

// A daemon that is killed during a probe leaves a file without a record: the next one removes it.
TEST_F(Ready, TheNextDaemonRemovesAProbe) {
  flock_.daemon();
  const pid_t cradle = flock_.cradle();
  {
    const Stopped stopped(cradle);
    EXPECT_EQ(ready().status, 503);
    EXPECT_EQ(files(), 1U);
    flock_.expect_verified();
    flock_.kill_daemon();
  }
  flock_.daemon();
  while (files() != 0) {
  }
  EXPECT_TRUE(flock_.json({"ps", "-a"}).at("runs").as_array().empty());
}

// `stop --kill` as an ordinary user, with a command that became root: nobody else may kill it.
class Unkillable : public AttackedFlock {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can start a command that becomes root";
    fs::permissions(flock_.file(""), fs::perms(0755));
    copy_programs(flock_.file("bin"));
    fs::create_directory(flock_.file("yard"));
    EXPECT_EQ(::chown(flock_.file("yard").c_str(), 65534, 65534), 0);
    fs::copy_file("/usr/bin/setpriv", flock_.file("bin/become"));
    fs::permissions(flock_.file("bin/become"), fs::perms(04755));
    flock_.environment["DROVER_HOME"] = flock_.file("yard/h");
    flock_.environment["PATH"] = flock_.file("bin") + ":/usr/bin:/bin";
  }
  tests::Output nobody(const std::string& script) {
    return tests::Started(as_nobody({"/bin/sh", "-c", script}), flock_.environment, "",
                          flock_.file("yard"))
        .finish();
  }
};

TEST_F(Unkillable, IsNamedByStop) {
  const std::string pid_file = flock_.file("yard/pid");
  const tests::Output started = nobody(
      "drover run -d -- sh -c 'echo $$ > pid; exec become --reuid=0 --regid=0 "
      "--clear-groups sh -c \": > up; exec sleep 1000\"'");
  ASSERT_EQ(started.code, 0) << started.err;
  const std::string id = started.out.substr(0, started.out.find('\n'));
  flock_.wait_for_file("yard/up");
  const std::string pid = std::to_string(std::stoi(*read_file(pid_file, 64)));
  const Fd process = tests::open_pid(std::stoi(pid));
  const tests::Output stopped = nobody("drover stop --kill");
  EXPECT_EQ(stopped.code, 1);
  EXPECT_NE(stopped.err.find("process " + pid + " (sleep) is still alive after " + id),
            std::string::npos)
      << stopped.err;
  const tests::Output again = nobody("drover stop --kill --json");
  EXPECT_EQ(again.code, 1);
  EXPECT_NE(again.out.find(R"("survivors":[{"pid":)" + pid), std::string::npos) << again.out;
  EXPECT_EQ(::kill(std::stoi(pid), SIGKILL), 0);
  tests::wait_gone(process);
  const tests::Output last = nobody("drover stop --kill --json");
  EXPECT_EQ(last.code, 0);
  EXPECT_NE(last.out.find(R"("survivors":[])"), std::string::npos) << last.out;
}

}  // namespace
}  // namespace drover::hostile
