// Processes of Drover are killed at any time, and the handle stays correct.
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>

#include <boost/json/parse.hpp>
#include <filesystem>
#include <sstream>

#include "base/journal.h"
#include "tests/harness.h"

namespace drover::tests {
namespace {

class Kill : public ::testing::Test {
 protected:
  std::string lines(const std::string& name) {
    const auto text = read_file(flock_.file(name), 1 << 20);
    return text ? *text : "";
  }
  Flock flock_;
};

// H10: the daemon is killed with runs in every state; the commands continue, exit codes and output
// are complete, and the records are consistent.
TEST_F(Kill, KillingTheDaemonLosesNoRunInAnyState) {
  const std::string done = flock_.run("echo done; exit 3");
  flock_.ended(done);
  const std::string living = flock_.run(
      "echo before; " + until_file(flock_.file("go")) + "echo after; exit 4", {"--lane", "l"});
  const std::string waiting = flock_.run("echo late; exit 5", {"--lane", "l"});
  const std::string failing =
      flock_.ok({"run", "-d", "--lane", "other", "--", "/bin/sh", "-c",
                 until_file(flock_.file("end")) + "echo meanwhile; echo oops >&2; exit 6"});
  const std::string canceled =
      flock_.run("trap '' TERM; echo > " + flock_.file("deaf") + "; while :; do sleep 1000; done",
                 {"--grace", "1h"});
  flock_.wait_for_file("deaf");
  flock_.wait_for_state(living, "running");
  flock_.wait_for_state(failing, "running");
  flock_.ok({"cancel", "--no-wait", canceled});
  flock_.kill_daemon();
  flock_.touch("end");
  flock_.wait_for_keeper(failing);  // Finishes while no daemon runs.

  EXPECT_EQ(text_of(flock_.show(living), "state"), "running");
  EXPECT_EQ(text_of(flock_.show(waiting), "state"), "queued");
  EXPECT_EQ(flock_.drover({"wait", failing}).code, 6);
  EXPECT_EQ(flock_.drover({"wait", done}).code, 3);
  EXPECT_EQ(text_of(flock_.show(canceled), "state"), "running");
  EXPECT_TRUE(flock_.show(canceled).at("cancel_requested").get_bool());
  flock_.touch("go");
  EXPECT_EQ(flock_.drover({"wait", living}).code, 4);
  EXPECT_EQ(flock_.drover({"wait", waiting}).code, 5);
  EXPECT_EQ(flock_.ok({"logs", living}), "before\nafter");
  EXPECT_EQ(flock_.ok({"logs", waiting}), "late");
  EXPECT_EQ(flock_.ok({"logs", "--stream", "stdout", failing}), "meanwhile");
  EXPECT_EQ(flock_.ok({"logs", "--stream", "stderr", failing}), "oops");
  EXPECT_EQ(flock_.ok({"logs", done}), "done");
  flock_.ok({"cancel", "--grace", "0ms", canceled});
  EXPECT_EQ(text_of(flock_.show(canceled), "reason"), "cancel_forced");
  flock_.expect_verified();
}

// H10: a run with on_restart: fail that never started fails with host_restarted.
TEST_F(Kill, ARunThatMustNotStartLaterFails) {
  const std::string blocker = flock_.run("sleep 1000", {"--lane", "l"});
  const std::string body = R"({"command":["true"],"cwd":"/","lane":"l","on_restart":"fail"})";
  flock_.http(
      "POST /api/runs HTTP/1.1\r\nHost: d\r\nConnection: close\r\nContent-Type: "
      "application/json\r\nContent-Length: " +
      std::to_string(body.size()) + "\r\n\r\n" + body);
  flock_.kill_daemon();
  const auto record = flock_.show("@last");
  EXPECT_EQ(text_of(record, "state"), "failed");
  EXPECT_EQ(text_of(record, "reason"), "host_restarted");
  flock_.ok({"cancel", blocker});
}

// A launch request that the daemon had sent before it died runs once, whether the old or the new
// cradle handles it.
TEST_F(Kill, ARequestInTheBufferRunsOnce) {
  for (const bool old_cradle_first : {true, false}) {
    const std::string name = old_cradle_first ? "first" : "second";
    const pid_t cradle = flock_.cradle();
    ASSERT_EQ(::kill(cradle, SIGSTOP), 0);
    const std::string id = flock_.run("echo ran >> " + flock_.file(name));
    flock_.kill_daemon();
    if (old_cradle_first) ASSERT_EQ(::kill(cradle, SIGCONT), 0);
    flock_.daemon();
    if (!old_cradle_first) {
      EXPECT_EQ(text_of(flock_.ended(id), "state"), "completed");
      ASSERT_EQ(::kill(cradle, SIGCONT), 0);
    }
    EXPECT_EQ(text_of(flock_.ended(id), "state"), "completed");
    EXPECT_EQ(lines(name), "ran\n");
  }
  flock_.expect_verified();
}

// R6: a cancel between the claim and the spawn finishes the run at once, and it never spawns.
TEST_F(Kill, ACancelBeforeTheSpawnPreventsIt) {
  const pid_t cradle = flock_.cradle();
  ASSERT_EQ(::kill(cradle, SIGSTOP), 0);
  const std::string id = flock_.run("echo ran >> " + flock_.file("ran"));
  EXPECT_EQ(text_of(flock_.show(id), "state"), "starting");
  auto cancel = flock_.start({"cancel", id});
  EXPECT_EQ(cancel->finish().code, 0);  // It needs only the claim.
  EXPECT_EQ(text_of(flock_.show(id), "state"), "canceled");
  ASSERT_EQ(::kill(cradle, SIGCONT), 0);
  flock_.ended(flock_.run("exit 0"));  // After it in the cradle's queue: by now it would have run.
  EXPECT_EQ(lines("ran"), "");
  flock_.expect_verified();
}

// After kill -9 of a keeper, the run is abandoned with keeper_lost, and none of its processes are
// alive.
TEST_F(Kill, AKeeperLeavesItsRunAbandoned) {
  const std::string id = flock_.run("(setsid sh -c 'trap \"\" TERM; echo > " + flock_.file("up") +
                                    "; sleep 1000' &) & sleep 1000");
  flock_.wait_for_file("up");
  ASSERT_EQ(::kill(flock_.keeper_of(id), SIGKILL), 0);
  const auto record = flock_.ended(id);
  EXPECT_EQ(text_of(record, "state"), "abandoned");
  EXPECT_EQ(text_of(record, "reason"), "keeper_lost");
  EXPECT_EQ(text_of(record, "origin"), "host");
  EXPECT_EQ(flock_.drover({"wait", id}).code, 125);
  EXPECT_TRUE(flock_.alive().empty());
  flock_.expect_verified();
}

// R11: the output of a run whose keeper was killed is counted by what is on disk.
TEST_F(Kill, AKilledKeeperLeavesACountOfTheOutput) {
  const std::string id = flock_.run("printf 12345; printf 123 >&2; sleep 1000");
  while (flock_.ok({"logs", id}).size() < 8) ::sched_yield();
  ASSERT_EQ(::kill(flock_.keeper_of(id), SIGKILL), 0);
  const auto record = flock_.ended(id);
  EXPECT_EQ(text_of(record, "reason"), "keeper_lost");
  EXPECT_EQ(record.at("stdout_bytes").as_int64(), 5);
  EXPECT_EQ(record.at("stderr_bytes").as_int64(), 3);
}

// After daemon, cradle and keeper are killed, the run's processes are found by their mark and
// killed.
TEST_F(Kill, KillingEverybodyLeavesNoProcess) {
  const std::string id =
      flock_.run("(setsid sh -c 'echo > " + flock_.file("up") + "; sleep 1000' &) & sleep 1000");
  flock_.wait_for_file("up");
  const pid_t cradle = flock_.cradle(), keeper = flock_.keeper_of(id);
  flock_.kill_daemon();
  for (const pid_t pid : {cradle, keeper}) ASSERT_EQ(::kill(pid, SIGKILL), 0);
  flock_.wait_for_keeper(id);
  EXPECT_FALSE(flock_.alive().empty());
  EXPECT_EQ(text_of(flock_.ended(id), "reason"), "keeper_lost");
  EXPECT_TRUE(flock_.alive().empty());
  flock_.expect_verified();
}

// R7: a child that double-forks, leaves the session, ignores TERM and holds the pipe is killed too;
// the command's own exit code counts.
TEST_F(Kill, NothingEscapes) {
  const std::string id = flock_.run(
      "(setsid sh -c '(trap \"\" TERM HUP; echo away; echo > " + flock_.file("up") +
          "; while :; do sleep 1000; done) &' &) ; " + until_file(flock_.file("up")) + "exit 11",
      {"--grace", "50ms"});
  EXPECT_EQ(flock_.drover({"wait", id}).code, 11);
  EXPECT_TRUE(flock_.alive().empty());
  EXPECT_EQ(flock_.ok({"logs", id}), "away");
  const boost::json::object receipt = flock_.show(id).at("receipt").as_object();
  EXPECT_GE(receipt.at("orphans").to_number<int>(), 1);
  EXPECT_EQ(receipt.at("survivors").to_number<int>(), 0);  // The keeper has killed it.
}

// R12: across the daemon's death, a follower gets every event once, without a gap, including the
// end.
TEST_F(Kill, AFollowerResumes) {
  auto attached = flock_.start({"run", "--", "/bin/sh", "-c",
                                "echo one; " + until_file(flock_.file("go")) + "echo two; exit 8"});
  attached->wait_for("one");
  auto follower = flock_.start({"events", "-f", "--json", "--after", "0"});
  follower->wait_for("run.started");
  flock_.kill_daemon();
  flock_.daemon();
  flock_.touch("go");
  const Output output = attached->finish();
  EXPECT_EQ(output.code, 8) << output.err;
  EXPECT_EQ(output.out, "one\ntwo\n");
  follower->wait_for("run.failed");
  follower->signal(SIGINT);
  std::istringstream events(follower->finish().out);
  std::int64_t last = 0;
  for (std::string line; std::getline(events, line);) {
    EXPECT_EQ(boost::json::parse(line).at("seq").as_int64(), ++last) << line;
  }
  EXPECT_EQ(last, 4);
}

// If the daemon has died, a waiting or following client starts another one.
TEST_F(Kill, AWaiterStartsAnotherDaemon) {
  const std::string id =
      flock_.run("echo one; " + until_file(flock_.file("go")) + "echo two; exit 8");
  auto follower = flock_.start({"logs", "-f", id});
  follower->wait_for("one");
  auto waiter = flock_.start({"wait", id});
  flock_.kill_daemon();
  flock_.touch("go");
  EXPECT_EQ(follower->finish().out, "one\ntwo\n");
  const Output waited = waiter->finish();
  EXPECT_EQ(waited.code, 8) << waited.err;
}

// If the daemon was stopped, a waiting client does not start another one: somebody stopped it on
// purpose.
TEST_F(Kill, AWaiterDoesNotUndoAStop) {
  auto attached = flock_.start(
      {"run", "--", "/bin/sh", "-c", "echo one; " + until_file(flock_.file("go")) + "echo two"});
  attached->wait_for("one");
  flock_.ok({"stop"});
  attached->wait_for_error("the daemon is unreachable");
  EXPECT_EQ(flock_.drover({"--no-start", "status"}).code, 7);
  flock_.touch("go");
  flock_.daemon();
  EXPECT_EQ(attached->finish().out, "one\ntwo\n");
}

// H1: reading the database beside the daemon is harmless: later acknowledged runs survive a kill.
TEST_F(Kill, AVerificationBeforeAKillLosesNoRun) {
  flock_.ended(flock_.run("exit 0"));
  flock_.expect_verified();
  const std::string id = flock_.run("exit 3");
  flock_.ended(id);
  flock_.kill_daemon();
  EXPECT_EQ(flock_.drover({"wait", id}).code, 3);
  flock_.expect_verified();
}

// A process may have any name, and the kernel truncates names in the middle of a character.
TEST_F(Kill, AProcessMayHaveAnImpossibleName) {
  const std::string program =
      flock_.file("\xd1\x80\xd0\xb0\xd0\xb1\xd0\xbe\xd1\x82\xd0\xbd\xd0\xb8\xd0\xba");
  std::filesystem::copy_file("/bin/sleep", program);
  const std::string id = flock_.ok({"run", "-d", "--", program, "1000"});
  flock_.wait_for_state(id, "running");
  const pid_t daemon = flock_.daemon();
  EXPECT_EQ(flock_.drover({"cancel", id}).code, 0);
  EXPECT_EQ(text_of(flock_.show(id), "state"), "canceled");
  EXPECT_EQ(flock_.daemon(), daemon);
}

// R6: a cancel also ends a keeper whose socket was removed.
TEST_F(Kill, ACancelReachesAKeeperWithoutItsSocket) {
  const std::string id = flock_.run("echo > " + flock_.file("up") + "; sleep 1000");
  flock_.wait_for_file("up");
  flock_.ok({"signal", id, "CONT"});  // Its socket exists now.
  for (const auto& entry : std::filesystem::directory_iterator(flock_.home().controls())) {
    std::filesystem::remove(entry.path());
  }
  EXPECT_EQ(flock_.drover({"cancel", id}).code, 0);
  EXPECT_EQ(text_of(flock_.show(id), "state"), "canceled");
}

// R18: during `stop --kill` no new runs are accepted, and the stop finishes.
TEST_F(Kill, StopTakesNoMoreRuns) {
  const std::string id =
      flock_.run("trap '' TERM; echo > " + flock_.file("deaf") + "; while :; do sleep 1000; done",
                 {"--grace", "1h"});
  flock_.wait_for_file("deaf");
  auto stop = flock_.start({"stop", "--kill"});
  flock_.wait_for_state_event(id, "run.cancel_requested");
  const Output refused = flock_.drover({"run", "-d", "--no-start", "--", "true"});
  EXPECT_NE(refused.code, 0) << refused.out;
  flock_.ok({"cancel", "--grace", "0ms", id});
  EXPECT_EQ(stop->finish().code, 0);
}

}  // namespace
}  // namespace drover::tests
