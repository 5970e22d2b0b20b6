// A full disk: a request that cannot be stored is refused with the reason, acknowledged runs are
// not lost, and once there is space, the same daemon continues.
#include <algorithm>
#include <cstring>
#include <filesystem>

#include "tests/disk/disk_fixture.h"

namespace drover::tests {
namespace {

using FullDisk = DiskTest;

std::int64_t dropped(const boost::json::object& run) {
  return run.at("receipt").at("dropped_bytes").to_number<std::int64_t>();
}
std::int64_t printed(const boost::json::object& run) {
  return run.at("stdout_bytes").to_number<std::int64_t>() +
         run.at("stderr_bytes").to_number<std::int64_t>();
}

// H1: a submission that cannot be stored is refused with a reason and advice, and leaves nothing
// behind; existing runs are still shown.
TEST_F(FullDisk, RefusesASubmissionItCannotStore) {
  const pid_t daemon = start_daemon();
  const std::string before = flock_.run("echo kept");
  flock_.ended(before);
  disk_.fail(Trouble::full);
  expect_refused(flock_.drover({"run", "--", "true"}), "free some space and try again");
  expect_refused(flock_.drover({"run", "-d", "--json", "--", "true"}), R"("code":"disk_full")");
  EXPECT_EQ(flock_.ok({"logs", before}), "kept");
  EXPECT_EQ(text_of(flock_.show(before), "state"), "completed");
  disk_.repair();
  EXPECT_EQ(flock_.drover({"run", "--", "sh", "-c", "exit 3"}).code, 3);
  EXPECT_EQ(flock_.daemon(), daemon);
  size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(flock_.home().runs())) {
    files += entry.path().extension() == ".run" ? 1 : 0;
  }
  EXPECT_EQ(files, 2u);
  flock_.expect_verified();
}

// H10: an end that cannot be recorded is kept until it can be; a waiting client then gets the exit
// code.
TEST_F(FullDisk, KeepsTheExitCodeUntilThereIsSpace) {
  const pid_t daemon = start_daemon();
  const std::string id = flock_.run(until_file(flock_.file("go")) + "exit 5");
  flock_.wait_for_state(id, "running");
  const auto waiter = flock_.start({"wait", id});
  disk_.fail(Trouble::full);
  flock_.touch("go");
  wait_for_refusal();
  EXPECT_EQ(text_of(flock_.show(id), "state"), "running");  // Its end is not recorded yet.
  disk_.repair();
  EXPECT_EQ(waiter->finish().code, 5);
  EXPECT_EQ(flock_.show(id).at("exit_code"), 5);
  EXPECT_EQ(flock_.daemon(), daemon);
  flock_.expect_verified();
}

// R7: a cancel that cannot be recorded is carried out all the same, and recorded once there is
// space.
TEST_F(FullDisk, ACancelThatCannotBeRecordedStopsTheRun) {
  start_daemon();
  const std::string id = flock_.run(flock_.note_pid("pid") + "exec sleep 1000");
  flock_.wait_for_state(id, "running");
  const Fd command = open_pid(flock_.noted_pid("pid"));
  disk_.fail(Trouble::full);
  EXPECT_EQ(flock_.drover({"cancel", "--no-wait", id}).code, 0);
  wait_gone(command);
  disk_.repair();
  const boost::json::object record = flock_.ended(id);
  EXPECT_EQ(text_of(record, "state"), "canceled");
  EXPECT_EQ(text_of(record, "reason"), "canceled_by_owner");
  flock_.expect_verified();
}

// S2: a daemon that cannot store a run is not ready and says why, also to the doctor; once there is
// space, it is ready.
TEST_F(FullDisk, IsNotReady) {
  const pid_t daemon = start_daemon();
  const std::string request = "GET /readyz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
  disk_.fail(Trouble::full);
  const std::string refusal = flock_.http(request);
  EXPECT_TRUE(refusal.starts_with("HTTP/1.1 503")) << refusal;
  EXPECT_NE(refusal.find(R"("code":"not_ready_store")"), std::string::npos) << refusal;
  EXPECT_NE(refusal.find("free some space"), std::string::npos) << refusal;
  const Output doctor = flock_.drover({"doctor"});
  EXPECT_EQ(doctor.code, 1);
  EXPECT_NE(doctor.out.find("bad  ready          the store cannot record the start of a run"),
            std::string::npos)
      << doctor.out;
  disk_.repair();
  EXPECT_EQ(flock_.drover({"doctor"}).code, 0);
  EXPECT_TRUE(flock_.http(request).starts_with("HTTP/1.1 200"));
  EXPECT_EQ(flock_.daemon(), daemon);
  flock_.expect_verified();
}

// R18: `stop --kill` returns when nothing is alive, also if that cannot be recorded: the next
// daemon records it.
TEST_F(FullDisk, StopKillReturnsWhenNothingIsAlive) {
  start_daemon();
  const std::string id = flock_.run(flock_.note_pid("pid") + "exec sleep 1000");
  flock_.wait_for_state(id, "running");
  const Fd command = open_pid(flock_.noted_pid("pid"));
  disk_.fail(Trouble::full);
  const Output stopped = flock_.drover({"stop", "--kill"});
  EXPECT_EQ(stopped.code, 0) << stopped.err;
  wait_gone(command);
  EXPECT_TRUE(flock_.alive().empty());
  disk_.repair();
  EXPECT_EQ(text_of(flock_.ended(id), "state"), "canceled");
  flock_.expect_verified();
}

// R11: the command continues, and the output that the disk did not take is counted and reported.
TEST_F(FullDisk, ReportsMissingOutput) {
  start_daemon();
  const auto attached = flock_.start({"run", "--", "/bin/sh", "-c",
                                      "echo before; " + until_file(flock_.file("go")) +
                                          "head -c 200000 /dev/zero | tr '\\0' x; " +
                                          until_file(flock_.file("more")) + "echo after"});
  attached->wait_for("before\n");
  const std::string id = text_of(flock_.json({"ps"}).at("runs").at(0).as_object(), "run_id");
  flock_.wait_for_state(id, "running");
  disk_.fail(Trouble::full);
  flock_.touch("go");
  wait_for_refusal();
  disk_.repair();
  flock_.touch("more");
  const Output seen = attached->finish();
  EXPECT_EQ(seen.code, 0);
  EXPECT_NE(seen.err.find(" bytes not kept "), std::string::npos) << seen.err;
  const auto run = flock_.show(id);
  EXPECT_EQ(printed(run), 200'013);
  EXPECT_GT(dropped(run), 0);
  EXPECT_EQ(static_cast<std::int64_t>(seen.out.size()), printed(run) - dropped(run));
  EXPECT_TRUE(seen.out.starts_with("before\n")) << seen.out.substr(0, 20);
  EXPECT_TRUE(seen.out.ends_with("after\n"));
  const size_t between = seen.out.size() - std::strlen("before\nafter\n");
  EXPECT_EQ(std::ranges::count(seen.out, 'x'), static_cast<std::ptrdiff_t>(between));
  const Output logs = flock_.drover({"logs", id});
  EXPECT_TRUE(logs.out.starts_with("before\n")) << logs.out.substr(0, 20);
  EXPECT_NE(logs.err.find(" bytes not kept "), std::string::npos) << logs.err;
  EXPECT_NE(flock_.ok({"show", id}).find("not kept: the disk was full"), std::string::npos);
}

// R11: a disk that is full during the whole run loses the output, not the run.
TEST_F(FullDisk, CountsOutputThatWasNeverStored) {
  start_daemon();
  const std::string id = flock_.run("echo > " + flock_.file("up") + "; " +
                                    until_file(flock_.file("go")) + "seq 1000; exit 4");
  flock_.wait_for_state(id, "running");
  flock_.wait_for_file("up");
  disk_.fail(Trouble::full);
  flock_.touch("go");
  flock_.wait_for_keeper(id);
  disk_.repair();
  const auto run = flock_.ended(id);
  EXPECT_EQ(run.at("exit_code"), 4);
  EXPECT_EQ(printed(run), 3'893);
  EXPECT_EQ(dropped(run), 3'893);
  EXPECT_EQ(flock_.ok({"logs", id}), "");
}

// H10: a daemon that cannot start says why, and the next one finds the exit code that a keeper
// wrote in the meantime.
TEST_F(FullDisk, LosesNoExitCodeWhileNoDaemonCanStart) {
  start_daemon();
  const std::string id = flock_.run("echo out; " + until_file(flock_.file("go")) + "exit 6");
  flock_.wait_for_state(id, "running");
  flock_.kill_daemon();
  disk_.fail(Trouble::full);
  flock_.touch("go");
  flock_.wait_for_keeper(id);
  Output refused;
  disk_.within([&] { refused = flock_.drover({"ps"}); });
  EXPECT_EQ(refused.code, 7) << refused.err;  // No daemon.
  EXPECT_NE(refused.err.find("free some space"), std::string::npos) << refused.err;
  disk_.repair();
  start_daemon();
  const auto run = flock_.ended(id);
  EXPECT_EQ(run.at("exit_code"), 6);
  EXPECT_EQ(flock_.ok({"logs", id}), "out");
  flock_.expect_verified();
}

// H10: no exit code is lost on a full disk that cannot even overwrite, although the daemon dies
// before it has stored the report: the keeper stays until it has written the status.
TEST_F(FullDisk, LosesNoExitCodeIfItCannotOverwrite) {
  const pid_t daemon = start_daemon();
  const std::string id = flock_.run(until_file(flock_.file("go")) + "exit 5");
  flock_.wait_for_state(id, "running");
  flock_.ok({"signal", id, "CONT"});  // The keeper listens: it has completed its identity.
  const Fd process = open_pid(daemon), keeper = open_pid(flock_.keeper_of(id));
  disk_.fail(Trouble::crammed);
  flock_.touch("go");
  wait_for_refusal();
  EXPECT_EQ(::kill(daemon, SIGKILL), 0);
  wait_gone(process);
  disk_.repair();
  wait_gone(keeper);
  start_daemon();
  EXPECT_EQ(flock_.ended(id).at("exit_code"), 5);
  flock_.expect_verified();
}

}  // namespace
}  // namespace drover::tests
