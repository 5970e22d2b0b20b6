// Dependencies, lanes, start times and retries, through the real programs.
#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>

#include "base/fd.h"
#include "tests/harness.h"

namespace drover::tests {
namespace {

using boost::json::object;

class Plans : public ::testing::Test {
 protected:
  std::string gated(const std::string& gate, const std::string& then = "exit 0") {
    return until_file(flock_.file(gate)) + then;
  }
  std::string kinds_of(const object& why) {
    std::string kinds;
    for (const auto& obstacle : why.at("obstacles").as_array()) {
      kinds += text_of(obstacle.as_object(), "kind") + " ";
    }
    return kinds;
  }
  std::string state(const std::string& id) { return text_of(flock_.show(id), "state"); }

  Flock flock_;
};

// R17: a run starts after its dependencies, not before, and says what it waits for.
TEST_F(Plans, StartsAfterItsDependencies) {
  const std::string log = flock_.file("log");
  const std::string first = flock_.run(gated("go", "echo first >> " + log));
  const std::string second = flock_.run("echo second >> " + log, {"--after", first});
  const std::string third =
      flock_.run("echo third >> " + log, {"--after", first.substr(0, 28), "--after-any", second});
  EXPECT_EQ(state(second), "queued");
  EXPECT_EQ(kinds_of(flock_.json({"why", third})), "dependency dependency ");
  EXPECT_NE(flock_.ok({"ps"}).find("after " + first.substr(4, 12)), std::string::npos);
  flock_.touch("go");
  EXPECT_EQ(flock_.drover({"wait", third}).code, 0);
  EXPECT_EQ(read_file(log, 100).value_or(""), "first\nsecond\nthird\n");
  flock_.expect_verified();
}

// R16: repeating a request with the same key returns the first run, also after a crash, and even if
// the name of its dependency no longer resolves.
TEST_F(Plans, ARepeatedRequestReturnsTheFirstRun) {
  const std::string build = flock_.run("exit 0", {"--name", "build"});
  EXPECT_EQ(flock_.drover({"wait", "build"}).code, 0);
  const auto ask = [&](const std::string& key) {
    return flock_.drover({"run", "--detach", "--key", key, "--after", "build", "--", "true"});
  };
  const Output first = ask("k");
  EXPECT_EQ(first.code, 0) << first.err;
  flock_.kill_daemon();
  flock_.ok({"rm", "build"});
  EXPECT_EQ(ask("k").out, first.out);
  EXPECT_EQ(ask("other").code, 5);
  // Finished: a name means the only active run that has it.
  for (int i = 0; i < 2; ++i) flock_.ok({"wait", flock_.run("exit 0", {"--name", "build"})});
  EXPECT_EQ(ask("k").out, first.out);
  EXPECT_EQ(ask("other").code, 6);
  flock_.expect_verified();
}

// R17: if one of two dependencies has completed and is retried by hand, the run waits for that
// attempt too, whichever finishes last.
TEST_F(Plans, WaitsForARetriedDependency) {
  const std::string first =
      flock_.run("[ -e " + flock_.file("again") + " ] || exit 0; " + gated("first", "exit 0"));
  EXPECT_EQ(flock_.drover({"wait", first}).code, 0);
  const std::string second = flock_.run(gated("second", "exit 0"));
  const std::string waits = flock_.run("exit 0", {"--after", first, "--after", second});
  flock_.touch("again");
  const std::string again = flock_.ok({"retry", first});
  flock_.wait_for_state(again, "running");
  flock_.touch("second");
  EXPECT_EQ(flock_.drover({"wait", second}).code, 0);
  EXPECT_EQ(state(waits), "queued");
  flock_.touch("first");
  EXPECT_EQ(flock_.drover({"wait", waits}).code, 0);
}

// R17: the chain of attempts stays connected although one in the middle was deleted.
TEST_F(Plans, TheChainSurvivesADeletedAttempt) {
  const std::string first =
      flock_.run("[ $DROVER_ATTEMPT = 3 ] || exit 1; " + gated("go", "exit 0"),
                 {"--retry", "2", "--backoff", "1ms"});
  EXPECT_EQ(flock_.drover({"wait", first}).code, 1);
  const std::string second = text_of(flock_.show(first), "retried_by");
  EXPECT_EQ(flock_.drover({"wait", second}).code, 1);
  const std::string third = text_of(flock_.show(second), "retried_by");
  flock_.ok({"rm", second});
  flock_.ok({"cancel", first});
  EXPECT_EQ(state(third), "canceled");
  EXPECT_EQ(flock_.drover({"wait", "--final", first}).code, 130);
}

// R17: a dependency that did not complete cancels its dependents, and theirs; a dependent that
// accepts any result starts. The same holds for dependencies that finished earlier or were deleted.
TEST_F(Plans, AFailedDependencyCancelsDependents) {
  const std::string first = flock_.run(gated("go", "exit 3"));
  const std::string second = flock_.run("exit 0", {"--after", first});
  const std::string third = flock_.run("exit 0", {"--after", second});
  const std::string anyway = flock_.run("exit 0", {"--after-any", third});
  flock_.touch("go");
  EXPECT_EQ(flock_.drover({"wait", third}).code, 130);
  EXPECT_EQ(flock_.drover({"wait", anyway}).code, 0);
  for (const auto& [id, blamed] : {std::pair(second, first), std::pair(third, second)}) {
    const object record = flock_.show(id);
    EXPECT_EQ(text_of(record, "reason"), "dependency_failed");
    EXPECT_NE(text_of(record, "message").find(blamed), std::string::npos);
  }
  flock_.ok({"rm", first});
  EXPECT_EQ(flock_.drover({"wait", flock_.run("exit 0", {"--after", first})}).code, 130);
  EXPECT_EQ(flock_.drover({"wait", flock_.run("exit 0", {"--after-any", first})}).code, 0);
  flock_.expect_verified();
}

// R17, S1: an impossible plan is refused, the error names the field, and no run is created.
TEST_F(Plans, RefuseImpossiblePlans) {
  const std::vector<std::vector<std::string>> absurd = {
      {"--retry", "101"},
      {"--retry", "-1"},
      {"--retry", "many"},
      {"--retry", "2", "--backoff", "2h"},
      {"--retry", "2", "--backoff", "soon"},
      {"--retry", "2", "--retry-on", "completed"},
      {"--retry", "2", "--retry-on", "failed,nothing"},
      {"--backoff", "1s"},
      {"--priority", "101"},
      {"--priority", "-101"},
      {"--priority", "high"}};
  for (std::vector<std::string> options : absurd) {
    options.insert(options.begin(), {"run", "-d"});
    options.insert(options.end(), {"--", "true"});
    const Output output = flock_.drover(options);
    EXPECT_EQ(output.code, 2) << options[2] << " " << options[3] << ": " << output.err;
    EXPECT_EQ(output.out, "");
  }
  for (const char* nobody : {"run_01hf7yat00000000000000000z", "@last", "zzz", "", "../../etc"}) {
    const Output output = flock_.drover({"run", "-d", "--after", nobody, "--", "true"});
    EXPECT_EQ(output.code, 5) << nobody << ": " << output.err;
  }
  EXPECT_EQ(flock_.drover({"lane", "pause", "nowhere"}).code, 5);
  EXPECT_EQ(flock_.drover({"lane", "rm", "default"}).code, 6);
  EXPECT_EQ(flock_.drover({"why", "run_01hf7yat00000000000000000z"}).code, 5);
  EXPECT_TRUE(flock_.json({"ps", "-a"}).at("runs").as_array().empty());
}

// R17, R15: a failed run is retried with everything it had, as often as asked. The chain is listed
// as one line, the last attempt gives the exit code, and no environment stays stored.
TEST_F(Plans, RetriesAFailedRun) {
  flock_.environment["SECRET_THING"] = "xyzzy-plugh";
  const std::string log = flock_.file("log");
  const Output output = flock_.drover(
      {"run", "--retry", "3", "--backoff", "1ms", "--", "/bin/sh", "-c",
       "echo $DROVER_ATTEMPT $SECRET_THING >> " + log + "; echo out; [ $DROVER_ATTEMPT = 3 ]"});
  EXPECT_EQ(output.code, 0) << output.err;
  EXPECT_EQ(output.out, "out\nout\nout\n");
  EXPECT_EQ(read_file(log, 1000).value_or(""), "1 xyzzy-plugh\n2 xyzzy-plugh\n3 xyzzy-plugh\n");
  const auto all = flock_.json({"ps", "-a", "--attempts"}).at("runs").as_array();
  ASSERT_EQ(all.size(), 3U);
  const auto latest = flock_.json({"ps", "-a"}).at("runs").as_array();
  ASSERT_EQ(latest.size(), 1U);
  EXPECT_EQ(latest.front().at("attempt").as_int64(), 3);
  const std::string first = text_of(all.back().as_object(), "run_id");
  EXPECT_EQ(text_of(latest.front().as_object(), "retry_of"), first);
  EXPECT_EQ(flock_.drover({"wait", first}).code, 1);
  EXPECT_EQ(flock_.drover({"wait", "--final", first}).code, 0);
  EXPECT_NE(flock_.ok({"ps"}).find("3/4"), std::string::npos);
  for (const auto& run : all)
    EXPECT_NE(flock_.ok({"show", first}).find(text_of(run.as_object(), "run_id")),
              std::string::npos);
  // One that always fails: the first attempt and as many more as asked.
  EXPECT_EQ(flock_.drover({"run", "--retry", "2", "--backoff", "1ms", "--", "false"}).code, 1);
  EXPECT_EQ(flock_.json({"ps", "-a", "--attempts"}).at("runs").as_array().size(), 3U + 3U);
  flock_.expect_verified();  // No stored environment outlives its run.
}

// R17: a cancel by the first attempt's id cancels the waiting attempt, and no other follows.
TEST_F(Plans, ACancelEndsTheChain) {
  const std::string first = flock_.run("exit 1", {"--retry", "9", "--backoff", "1h"});
  EXPECT_EQ(flock_.drover({"wait", first}).code, 1);
  const object waiting = flock_.json({"ps"}).at("runs").as_array().front().as_object();
  const std::string second = text_of(waiting, "run_id");
  EXPECT_NE(second, first);
  EXPECT_EQ(text_of(waiting, "state"), "queued");
  EXPECT_EQ(kinds_of(flock_.json({"why", second})), "backoff ");
  EXPECT_NE(flock_.ok({"ps"}).find("retry in "), std::string::npos);
  EXPECT_EQ(text_of(flock_.json({"cancel", first}), "run_id"), second);
  EXPECT_EQ(flock_.drover({"wait", "--final", first}).code, 130);
  EXPECT_EQ(flock_.json({"ps", "-a", "--attempts"}).at("runs").as_array().size(), 2U);
  EXPECT_EQ(text_of(flock_.json({"cancel", first}), "outcome"), "already_finished");
  flock_.expect_verified();
}

// R17: a run that depends on a retried run waits for its last attempt.
TEST_F(Plans, WaitsForTheLastAttempt) {
  const std::string first =
      flock_.run(gated("go", "[ $DROVER_ATTEMPT = 2 ]"), {"--retry", "1", "--backoff", "1ms"});
  const std::string then = flock_.run("exit 0", {"--after", first});
  flock_.touch("go");
  EXPECT_EQ(flock_.drover({"wait", then}).code, 0);
  EXPECT_EQ(flock_.drover({"wait", first}).code, 1);
  // The same holds long afterwards.
  EXPECT_EQ(flock_.drover({"wait", flock_.run("exit 0", {"--after", first})}).code, 0);
}

// R17: `retry` uses the environment of the caller; it works once per run, and only for a finished
// one.
TEST_F(Plans, RetriesByHand) {
  const std::string log = flock_.file("log");
  flock_.environment["WHO"] = "before";
  const std::string first =
      flock_.run(gated("go", "echo $WHO$DROVER_ATTEMPT >> " + log + "; exit 4"));
  EXPECT_EQ(flock_.drover({"retry", first}).code, 6);
  flock_.touch("go");
  EXPECT_EQ(flock_.drover({"wait", first}).code, 4);
  flock_.environment["WHO"] = "after";
  const Output again = flock_.drover({"retry", first});
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_NE(again.err.find("environment of this shell"), std::string::npos);
  const std::string second = again.out.substr(0, 30);
  EXPECT_EQ(flock_.drover({"wait", "--final", first}).code, 4);
  EXPECT_EQ(text_of(flock_.show(second), "retry_of"), first);
  EXPECT_EQ(read_file(log, 100).value_or(""), "before\nafter2\n");
  EXPECT_EQ(flock_.drover({"retry", first}).code, 6);
  flock_.expect_verified();
}

// R16: a paused lane starts no runs and stops none; `why` and `lane ls` say so.
TEST_F(Plans, LanesPause) {
  const std::string running = flock_.run(gated("go"), {"--lane", "l"});
  const std::string waiting = flock_.run("exit 0", {"--lane", "l"});
  EXPECT_EQ(kinds_of(flock_.json({"why", waiting})), "lane_full ");
  flock_.ok({"lane", "pause", "l"});
  flock_.touch("go");
  EXPECT_EQ(flock_.drover({"wait", running}).code, 0);
  const std::string late = flock_.run("exit 0", {"--lane", "l"});
  EXPECT_EQ(kinds_of(flock_.json({"why", waiting})), "lane_paused ");
  EXPECT_EQ(kinds_of(flock_.json({"why", late})), "lane_paused queue ");
  EXPECT_NE(flock_.ok({"lane", "ls"}).find("paused"), std::string::npos);
  flock_.ok({"lane", "resume", "l"});
  EXPECT_EQ(flock_.drover({"wait", waiting, late}).code, 0);
}

// R16: a draining lane accepts no new runs and finishes its own; then it can be removed.
TEST_F(Plans, LanesDrain) {
  const std::string running = flock_.run(gated("go"), {"--lane", "l"});
  const std::string waiting = flock_.run("exit 0", {"--lane", "l"});
  flock_.ok({"lane", "drain", "l"});
  const Output refused = flock_.drover({"run", "-d", "--lane", "l", "--", "true"});
  EXPECT_EQ(refused.code, 6);
  EXPECT_NE(refused.err.find("draining"), std::string::npos) << refused.err;
  EXPECT_EQ(flock_.drover({"lane", "rm", "l"}).code, 6);
  flock_.touch("go");
  EXPECT_EQ(flock_.drover({"wait", running, waiting}).code, 0);
  flock_.ok({"lane", "rm", "l"});
  EXPECT_EQ(flock_.drover({"wait", flock_.run("exit 0", {"--lane", "l"})}).code, 0);
}

// R16: the highest priority goes first, then first come, first served; a queued run can be moved to
// the front or to another lane.
TEST_F(Plans, HigherPriorityGoesFirst) {
  const std::string log = flock_.file("log");
  const auto says = [&](const std::string& word, std::vector<std::string> options) {
    options.insert(options.end(), {"--lane", "l"});
    return flock_.run("echo " + word + " >> " + log, options);
  };
  const std::string holder = flock_.run(gated("go"), {"--lane", "l"});
  const std::string a = says("a", {});
  const std::string b = says("b", {"--priority", "-5"});
  const std::string c = says("c", {"--priority", "7"});
  const std::string d = says("d", {"--priority", "7"});
  const std::string e = says("e", {"--priority", "1"});
  const std::string f = says("f", {});
  flock_.ok({"priority", a, "100"});
  flock_.ok({"lane", "move", e, "elsewhere"});
  EXPECT_EQ(flock_.drover({"wait", e}).code, 0);
  EXPECT_EQ(flock_.drover({"priority", e, "3"}).code, 6);  // It has finished.
  EXPECT_EQ(flock_.json({"why", b}).at("ahead").as_int64(), 4);
  flock_.touch("go");
  EXPECT_EQ(flock_.drover({"wait", a, b, c, d, f}).code, 0);
  EXPECT_EQ(read_file(log, 100).value_or(""), "e\na\nc\nd\nf\nb\n");
  flock_.expect_verified();
}

}  // namespace
}  // namespace drover::tests
