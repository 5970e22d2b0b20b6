// R7: an intent to end a run is repeated until the end is recorded, whatever is stopped, deaf or
// dead in between. (A store that cannot write: tests/disk.)
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "base/journal.h"
#include "process/cgroup_place.h"
#include "tests/hostile/attacked_flock.h"

namespace drover::hostile {
namespace {

using tests::text_of;

class Converging : public AttackedFlock {
 protected:
  std::string started(const std::string& script) {
    const std::string id = flock_.run(flock_.note_pid("pid") + script);
    flock_.wait_for_file("pid");
    flock_.wait_for_state(id, "running");
    return id;
  }
  Fd command() { return tests::open_pid(flock_.noted_pid("pid")); }
};

// A keeper that is stopped again whenever somebody continues it is killed, and its run with it.
TEST_F(Converging, ADeafKeeperIsKilled) {
  const std::string id = started("exec sleep 1000");
  const pid_t keeper = flock_.keeper_of(id);
  const Fd alive = tests::open_pid(keeper);
  const Fd sleeper = command();
  const std::string stops =
      "while kill -STOP " + std::to_string(keeper) + " 2>/dev/null; do :; done";
  const tests::Started jailer({"/bin/sh", "-c", stops}, flock_.environment, "");
  EXPECT_EQ(flock_.drover({"cancel", "--no-wait", "--grace", "0ms", id}).code, 0);
  tests::wait_gone(alive);
  tests::wait_gone(sleeper);
  EXPECT_TRUE(flock_.ended(id).at("cancel_requested").as_bool());
  flock_.expect_verified();
}

// A stopped cradle starts nothing: it is continued.
TEST_F(Converging, AStoppedCradleIsContinued) {
  const pid_t daemon = flock_.daemon();
  EXPECT_EQ(::kill(flock_.cradle(), SIGSTOP), 0);
  const std::string id = flock_.run("exit 3");
  EXPECT_EQ(flock_.ended(id).at("exit_code"), 3);
  EXPECT_EQ(flock_.daemon(), daemon);
  flock_.expect_verified();
}

// A cradle that cannot be continued is replaced. A frozen cgroup holds it: nothing else holds a
// process against SIGCONT.
TEST_F(Converging, ACradleThatStaysStoppedIsReplaced) {
  const pid_t cradle = flock_.cradle();
  const Fd alive = tests::open_pid(cradle);
  const std::string ice = process::own_cgroup() + "/drover-test-" + std::to_string(::getpid());
  const bool has_cgroups = process::own_cgroup() != "" && ::mkdir(ice.c_str(), 0700) == 0;
  if (!has_cgroups) GTEST_SKIP() << "this machine has no cgroup v2 that this user may write";
  std::ofstream(ice + "/cgroup.procs") << cradle << std::flush;
  std::ofstream(ice + "/cgroup.freeze") << 1 << std::flush;
  const std::string id = flock_.run("exit 3");
  EXPECT_EQ(flock_.ended(id).at("exit_code"), 3);
  tests::wait_gone(alive);
  EXPECT_NE(flock_.cradle(), cradle);
  flock_.expect_verified();
  EXPECT_EQ(::rmdir(ice.c_str()), 0);
}

// A keeper dies while the cradle is stopped, so nobody reports its death. A cancel finds out.
TEST_F(Converging, ADeathThatNobodyReports) {
  const std::string id = started("exec sleep 1000");
  const pid_t cradle = flock_.cradle();
  const pid_t keeper = flock_.keeper_of(id);
  EXPECT_EQ(::kill(cradle, SIGSTOP), 0);
  EXPECT_EQ(::kill(keeper, SIGKILL), 0);
  EXPECT_EQ(flock_.drover({"cancel", "--no-wait", "--grace", "0ms", id}).code, 0);
  EXPECT_EQ(text_of(flock_.ended(id), "state"), "canceled");
  EXPECT_EQ(::kill(cradle, SIGCONT), 0);
  flock_.expect_verified();
}

// The intent in a run's file is carried out by the next daemon.
TEST_F(Converging, TheNextDaemonRepeatsANotedCancel) {
  const std::string id = started("exec sleep 1000");
  const Fd sleeper = command();
  flock_.kill_daemon();
  ASSERT_TRUE(
      write_cancel(flock_.home().run_file(*RunId::parse(id)), {.wall_ms = 1, .grace_ms = 0}));
  EXPECT_EQ(text_of(flock_.ended(id), "state"), "canceled");
  tests::wait_gone(sleeper);
  flock_.expect_verified();
}

}  // namespace
}  // namespace drover::hostile
