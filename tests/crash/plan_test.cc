// Crashes during plans: dependents still start, retries run once, and paused lanes stay paused.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/fd.h"
#include "tests/harness.h"

namespace drover::tests {
namespace {

using boost::json::object;

class PlanCrash : public ::testing::Test {
 protected:
  std::string text(const std::string& name) {
    return read_file(flock_.file(name), 1 << 20).value_or("");
  }
  Flock flock_;
};

// R17: a dependency that finishes while no daemon runs is found by the next one, whatever its
// result.
TEST_F(PlanCrash, DependenciesThatFinishWithoutADaemonAreFound) {
  const std::string good = flock_.run(until_file(flock_.file("go")) + "exit 0");
  const std::string bad = flock_.run(until_file(flock_.file("go")) + "exit 1");
  const std::string after_good = flock_.run("exit 0", {"--after", good});
  const std::string after_bad = flock_.run("exit 0", {"--after", bad});
  const std::string after_that = flock_.run("exit 0", {"--after", after_bad});
  const std::string anyway = flock_.run("exit 5", {"--after-any", bad, "--after-any", after_that});
  flock_.wait_for_state(good, "running");
  flock_.wait_for_state(bad, "running");
  flock_.kill_daemon();
  flock_.touch("go");
  flock_.wait_for_keeper(good);
  flock_.wait_for_keeper(bad);
  EXPECT_EQ(flock_.drover({"wait", after_good}).code, 0);
  EXPECT_EQ(flock_.drover({"wait", after_that}).code, 130);
  EXPECT_EQ(flock_.drover({"wait", anyway}).code, 5);
  EXPECT_EQ(text_of(flock_.show(after_bad), "reason"), "dependency_failed");
  flock_.expect_verified();
}

// R17: a queued dependent survives any number of daemons, and starts once.
TEST_F(PlanCrash, TheWaitOutlivesDaemons) {
  const std::string first = flock_.run(until_file(flock_.file("go")) + "exit 0");
  const std::string second =
      flock_.run("echo once >> " + flock_.file("log"), {"--after", first, "--lane", "l"});
  for (int i = 0; i < 3; ++i) {
    flock_.kill_daemon();
    EXPECT_EQ(text_of(flock_.show(second), "state"), "queued");
  }
  flock_.touch("go");
  EXPECT_EQ(flock_.drover({"wait", second}).code, 0);
  EXPECT_EQ(text("log"), "once\n");
  flock_.expect_verified();
}

// R17, R15: an attempt that fails while no daemon runs is retried with its environment; none is
// lost, none runs twice.
TEST_F(PlanCrash, AnAttemptThatFailsWithoutADaemonIsRetried) {
  flock_.environment["HANDED_ON"] = "yes";
  const std::string log = flock_.file("log");
  const std::string first = flock_.run(
      until_file(flock_.file("go")) + "echo $DROVER_ATTEMPT $HANDED_ON >> " + log + "; exit 9",
      {"--retry", "2", "--backoff", "1ms"});
  flock_.environment.erase("HANDED_ON");
  flock_.wait_for_state(first, "running");
  flock_.kill_daemon();
  flock_.touch("go");
  flock_.wait_for_keeper(first);
  EXPECT_EQ(flock_.drover({"wait", "--final", first}).code, 9);
  EXPECT_EQ(text("log"), "1 yes\n2 yes\n3 yes\n");
  EXPECT_EQ(flock_.json({"ps", "-a", "--attempts"}).at("runs").as_array().size(), 3U);
  flock_.expect_verified();
}

// R17: the daemon is killed repeatedly while a run is retried repeatedly: each attempt is executed
// once.
TEST_F(PlanCrash, EachAttemptRunsOnceAcrossDaemons) {
  const std::string log = flock_.file("log");
  std::vector<std::string> chains;
  for (int i = 0; i < 4; ++i) {
    chains.push_back(flock_.run("echo $DROVER_RUN_ID >> " + log + "; exit 1",
                                {"--retry", "6", "--backoff", "10ms"}));
  }
  for (int i = 0; i < 6; ++i) {
    (void)flock_.drover({"status"});
    flock_.kill_daemon();
  }
  for (const std::string& first : chains) {
    EXPECT_EQ(flock_.drover({"wait", "--final", first}).code, 1);
  }
  const auto all = flock_.json({"ps", "-a", "--attempts"}).at("runs").as_array();
  EXPECT_EQ(all.size(), 4U * 7U);
  for (const auto& run : all) {
    const std::string id = text_of(run.as_object(), "run_id") + "\n";
    EXPECT_NE(text("log").find(id), std::string::npos) << "never executed: " << id;
    EXPECT_EQ(text("log").find(id), text("log").rfind(id)) << "executed twice: " << id;
  }
  flock_.expect_verified();
}

// R17: a canceled chain of attempts stays canceled after restarts.
TEST_F(PlanCrash, ACanceledChainStaysCanceled) {
  const std::string first = flock_.run("exit 1", {"--retry", "9", "--backoff", "1h"});
  EXPECT_EQ(flock_.drover({"wait", first}).code, 1);
  flock_.kill_daemon();
  flock_.ok({"cancel", first});
  flock_.kill_daemon();
  EXPECT_EQ(flock_.drover({"wait", "--final", first}).code, 130);
  EXPECT_EQ(flock_.json({"ps", "-a", "--attempts"}).at("runs").as_array().size(), 2U);
  flock_.expect_verified();
}

// R16: pauses, drains, priorities and moves are on record before they are acknowledged.
TEST_F(PlanCrash, LanesStayAsTheyWere) {
  flock_.ok({"lane", "set", "l", "1"});
  flock_.ok({"lane", "pause", "l"});
  flock_.ok({"lane", "set", "d", "1"});
  flock_.ok({"lane", "drain", "d"});
  const std::string log = flock_.file("log");
  const std::string a = flock_.run("echo a >> " + log, {"--lane", "l"});
  const std::string b = flock_.run("echo b >> " + log, {"--lane", "l"});
  flock_.ok({"priority", b, "5"});
  flock_.kill_daemon();
  EXPECT_EQ(text_of(flock_.show(a), "state"), "queued");
  EXPECT_EQ(flock_.drover({"run", "-d", "--lane", "d", "--", "true"}).code, 6);
  flock_.ok({"lane", "resume", "l"});
  EXPECT_EQ(flock_.drover({"wait", a, b}).code, 0);
  EXPECT_EQ(text("log"), "b\na\n");
}

}  // namespace
}  // namespace drover::tests
