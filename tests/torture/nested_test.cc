// A daemon that is started inside a run. All processes of a run end with it (R7): so a daemon must
// not live inside a run of its own home, and a daemon of another home is just another process of
// the run.
#include <gtest/gtest.h>
#include <signal.h>

#include "tests/harness.h"

namespace drover::tests {
namespace {

class Nested : public ::testing::Test {
 protected:
  static std::string text(const std::string& path) {
    const auto read = read_file(path, 1 << 20);
    return read ? *read : "";
  }

  // A run that is a daemon of the inner home, with a run of its own.
  std::string start_inner() {
    const std::string id =
        outer_.run("DROVER_HOME=" + inner_.file("home") + " exec drover serve 2>&1");
    outer_.start({"logs", "--follow", id})->wait_for("ready: pid");
    inner_id_ = inner_.run("(setsid sleep 1000 &); sleep 1000");
    inner_.wait_for_state(inner_id_, "running");
    return id;
  }

  // Asks the inner home's next daemon, which is started outside.
  void expect_inner_ended(const std::string& reason) {
    EXPECT_TRUE(outer_.alive().empty());
    EXPECT_EQ(text_of(inner_.ended(inner_id_), "reason"), reason);
    EXPECT_TRUE(inner_.alive().empty()) << "something of the inner home outlived the outer run";
    inner_.expect_verified();
    outer_.expect_verified();
  }

  Flock outer_;
  Flock inner_;
  std::string inner_id_;
};

// Inside a run whose daemon is dead, no daemon of the same home starts, neither automatically nor
// explicitly: it, and everything it starts, would be killed with the run. Nothing else changes.
TEST_F(Nested, NoDaemonStartsInARunOfItsOwnHome) {
  for (const std::string command : {"drover ps", "drover serve"}) {
    const std::string id = outer_.run(until_file(outer_.file("go")) + command + " > " +
                                      outer_.file("said") + " 2>&1; exit $((100 + $?))");
    outer_.wait_for_state(id, "running");
    outer_.kill_daemon();
    outer_.touch("go");
    outer_.wait_for_keeper(id);
    const auto record = outer_.ended(id);  // By the next daemon, outside.
    EXPECT_EQ(text_of(record, "reason"), "exit_nonzero");
    EXPECT_NE(record.at("exit_code").to_number<int>(), 100);
    EXPECT_NE(text(outer_.file("said")).find("inside"), std::string::npos)
        << text(outer_.file("said"));
    std::remove(outer_.file("go").c_str());
  }
  outer_.expect_verified();
}

// A daemon of another home works inside a run, and ends with it, as do its runs: they get TERM, and
// their keepers record their ends.
TEST_F(Nested, EndsWithItsRun) {
  const std::string id = start_inner();
  EXPECT_EQ(outer_.drover({"cancel", id}).code, 0);
  EXPECT_EQ(text_of(outer_.show(id), "state"), "canceled");
  EXPECT_TRUE(inner_.alive().empty());
  expect_inner_ended("signaled");
}

// The same if the run's keeper, its cradle and its daemon are killed: then no keeper records
// anything.
TEST_F(Nested, EndsWithItsRunsKeeper) {
  const std::string id = start_inner();
  const pid_t keeper = outer_.keeper_of(id);
  ASSERT_EQ(::kill(outer_.cradle(), SIGKILL), 0);
  outer_.kill_daemon();
  ASSERT_EQ(::kill(keeper, SIGKILL), 0);
  EXPECT_EQ(text_of(outer_.ended(id), "state"), "abandoned");
  expect_inner_ended("keeper_lost");
}

}  // namespace
}  // namespace drover::tests
