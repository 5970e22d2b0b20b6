// Keepers through a real cradle and a real kernel: every command here is a real process.
#include <algorithm>
#include <thread>

#include "base/clock.h"
#include "process/keeper_fixture.h"

namespace drover::process {
namespace {

// R1, R3: the command's exit code is reported, and a quiet command leaves no output files.
TEST_F(KeeperTest, ReportsTheExitCode) {
  const EndingRecord ending = run(shell("exit 7"));
  EXPECT_EQ(ending.status.exited, 1);
  EXPECT_EQ(ending.status.exit_code, 7);
  EXPECT_EQ(ending.drained, 1U);
  EXPECT_FALSE(std::filesystem::exists(directory("r1")));
  const auto journal = read_journal_state(file("r1"));
  ASSERT_TRUE(journal && journal->text.ending);
  EXPECT_EQ(journal->text.ending->status.exit_code, 7);
}

// R3: the signal that killed the command is reported.
TEST_F(KeeperTest, NamesTheSignalThatEndedIt) {
  const EndingRecord ending = run(shell("kill -SEGV $$"));
  EXPECT_EQ(ending.status.exited, 0);
  EXPECT_EQ(ending.status.signal, SIGSEGV);
}

// R11: both streams are stored in order of arrival and can be distinguished.
TEST_F(KeeperTest, KeepsBothStreams) {
  const EndingRecord ending = run(shell("echo one; echo two >&2; echo three"));
  EXPECT_EQ(ending.stdout_bytes, 10U);
  EXPECT_EQ(ending.stderr_bytes, 4U);
  EXPECT_EQ(output("r1", Stream::out), "one\nthree\n");
  EXPECT_EQ(output("r1", Stream::err), "two\n");
}

// R11: if a command joins its streams (2>&1), their exact order is kept.
TEST_F(KeeperTest, KeepsTheOrderOfJoinedStreams) {
  run(shell("exec 2>&1; for i in $(seq 500); do echo out $i; echo err $i >&2; done"));
  std::string printed;
  for (int i = 1; i <= 500; ++i) {
    printed += "out " + std::to_string(i) + "\nerr " + std::to_string(i) + "\n";
  }
  EXPECT_EQ(output("r1"), printed);
}

// H6: a failed launch is reported with the step and the errno, for every way to fail.
TEST_F(KeeperTest, NamesTheStepThatFailed) {
  Command command = shell("");
  const auto failure = [&] {
    const EndingRecord ending = run(command);
    EXPECT_EQ(ending.stdout_bytes + ending.stderr_bytes, 0U);
    return std::pair(ending.status.failed_step, ending.status.error_number);
  };
  command.argv = {"no-such-program-anywhere"};
  EXPECT_EQ(failure(), std::pair(LaunchStep::exec, ENOENT));
  command.argv = {"/tmp"};
  EXPECT_EQ(failure(), std::pair(LaunchStep::exec, EISDIR));
  command.argv = {"/etc/passwd"};
  EXPECT_EQ(failure(), std::pair(LaunchStep::exec, EACCES));
  const std::string text = root_ + "/text";
  ASSERT_TRUE(replace_file(text, "just words\n"));
  ASSERT_EQ(::chmod(text.c_str(), 0700), 0);
  command.argv = {text};
  EXPECT_EQ(failure(), std::pair(LaunchStep::exec, ENOEXEC));
  command = shell("true");
  command.cwd = root_ + "/nowhere";
  EXPECT_EQ(failure(), std::pair(LaunchStep::cwd, ENOENT));
}

// A command with a lock file starts only if no other process has the lock. Its keeper has the lock
// until the command has finished; it creates the file, and does not follow a link.
TEST_F(KeeperTest, LocksAFileWhileTheCommandRuns) {
  const std::string lock = root_ + "/lock";
  Command waiting = shell("until [ -e \"$DROVER_TEST/go\" ]; do sleep 0.01; done");
  waiting.lock_file = lock;
  request("r1", waiting);
  report_of(ReportKind::started);
  Command second = shell("touch \"$DROVER_TEST/second\"");
  second.lock_file = lock;
  const EndingRecord refused = run(second);
  EXPECT_EQ(refused.status.failed_step, LaunchStep::lock);
  EXPECT_EQ(refused.status.error_number, EAGAIN);
  EXPECT_FALSE(std::filesystem::exists(root_ + "/second"));
  ASSERT_TRUE(replace_file(root_ + "/go", ""));
  EXPECT_EQ(report_of(ReportKind::ended).ended.ending.status.exit_code, 0);
  EXPECT_EQ(read_command(file("r1"))->lock_file, lock);
  EXPECT_EQ(read_command(file("r1"))->cwd, "/");
  // Free at once, for as many commands as follow each other.
  for (int i = 0; i < 20; ++i) EXPECT_EQ(run(second).status.failed_step, LaunchStep::none) << i;
  second.lock_file = root_ + "/link";
  std::filesystem::create_symlink("nowhere", second.lock_file);
  EXPECT_EQ(run(second).status.failed_step, LaunchStep::lock);
  EXPECT_FALSE(std::filesystem::exists(root_ + "/nowhere"));
}

// The directory is locked with the file: a second command does not start, although its lock file is
// another one.
TEST_F(KeeperTest, LocksADirectoryWithTheFile) {
  Command waiting = shell("until [ -e \"$DROVER_TEST/go\" ]; do sleep 0.01; done");
  waiting.lock_file = root_ + "/lock";
  waiting.lock_directory = root_;
  request("r1", waiting);
  report_of(ReportKind::started);
  EXPECT_EQ(read_command(file("r1"))->lock_directory, root_);
  EXPECT_EQ(read_command(file("r1"))->cwd, "/");
  Command second = shell("touch \"$DROVER_TEST/second\"");
  second.lock_file = root_ + "/another";
  second.lock_directory = root_;
  const EndingRecord refused = run(second);
  EXPECT_EQ(refused.status.failed_step, LaunchStep::lock);
  EXPECT_EQ(refused.status.error_number, EAGAIN);
  EXPECT_FALSE(std::filesystem::exists(root_ + "/second"));
  ASSERT_TRUE(replace_file(root_ + "/go", ""));
  EXPECT_EQ(report_of(ReportKind::ended).ended.ending.status.exit_code, 0);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(run(second).status.failed_step, LaunchStep::none) << i;
  // Where the directory cannot be locked, the file is enough.
  second.lock_directory = root_ + "/nowhere";
  EXPECT_EQ(run(second).status.failed_step, LaunchStep::none);
}

// An incomplete spec is a failed step; nothing is started.
TEST_F(KeeperTest, RefusesATornSpec) {
  ASSERT_TRUE(write_command(file("torn"), shell("true")));
  ASSERT_EQ(::truncate(file("torn").c_str(), 1024 + 90), 0);
  ask("torn");
  EXPECT_EQ(report_of(ReportKind::ended).ended.ending.status.failed_step, LaunchStep::spec);
}

// R7: a child that double-forks, leaves the session, ignores TERM and keeps the pipe open is killed
// with the command, and named.
TEST_F(KeeperTest, LeavesNoProcessBehind) {
  Command command = shell(
      "(setsid sh -c 'trap \"\" TERM HUP; echo away; while :; do sleep 1000; done' &) & "
      "while ! [ -e " +
      root_ + "/go ]; do sleep 0.01; done; exit 3");
  command.grace_ms = 50;
  request("r1", command);
  report_of(ReportKind::started);
  wait_for_output("r1", "away");
  ASSERT_TRUE(replace_file(root_ + "/go", ""));
  const EndingRecord ending = report_of(ReportKind::ended).ended.ending;
  EXPECT_EQ(ending.status.exit_code, 3);
  EXPECT_GE(ending.orphans, 1U);
  EXPECT_NE(ending.kill_wall_ms, 0);
  EXPECT_EQ(ending.survivors, 0U);
  EXPECT_TRUE(left_alive().empty());
}

// R7, R10: cancel, timeout and idle timeout use the same path; each records its cause.
TEST_F(KeeperTest, StopsByCancelTimeoutAndSilence) {
  Command command = shell("echo up; sleep 1000");
  command.timeout_ms = 30;
  EXPECT_EQ(run(command).status.cause, StopCause::timeout);
  command.timeout_ms = 0;
  command.idle_timeout_ms = 30;
  EXPECT_EQ(run(command).status.cause, StopCause::idle_timeout);
  command.idle_timeout_ms = 0;
  request("canceled", command);
  report_of(ReportKind::started);
  EXPECT_EQ(tell("canceled", ControlOp::stop, 2'000), 0);
  const EndingRecord ending = report_of(ReportKind::ended).ended.ending;
  EXPECT_EQ(ending.status.cause, StopCause::cancel);
  EXPECT_EQ(ending.status.signal, SIGTERM);
  EXPECT_NE(ending.term_wall_ms, 0);
  EXPECT_EQ(ending.kill_wall_ms, 0);
  EXPECT_GE(ending.signaled, 1U);
  EXPECT_TRUE(left_alive().empty());
}

// A grace of 0 kills at once, also during a longer one.
TEST_F(KeeperTest, ASecondCancelKills) {
  request("r1", shell("trap '' TERM; echo deaf; while :; do sleep 1000; done"));
  report_of(ReportKind::started);
  wait_for_output("r1", "deaf");
  EXPECT_EQ(tell("r1", ControlOp::stop, 3'600'000), 0);
  EXPECT_EQ(tell("r1", ControlOp::stop, 0), 0);
  const EndingRecord ending = report_of(ReportKind::ended).ended.ending;
  EXPECT_EQ(ending.status.signal, SIGKILL);
  EXPECT_NE(ending.kill_wall_ms, 0);
}

// A suspended command can still be stopped: CONT follows TERM.
TEST_F(KeeperTest, EndsAStoppedCommand) {
  request("r1", shell("echo up; kill -STOP $$; sleep 1000"));
  report_of(ReportKind::started);
  wait_for_output("r1", "up");
  EXPECT_EQ(tell("r1", ControlOp::stop, 60'000), 0);
  EXPECT_EQ(report_of(ReportKind::ended).ended.ending.status.signal, SIGTERM);
}

// A command that exits while a grandchild keeps its pipe open finishes all the same, with its last
// output.
TEST_F(KeeperTest, AGrandchildsOpenPipeDoesNotKeepTheRunActive) {
  Command command = shell("sleep 1000 & echo bye; exit 0");
  const EndingRecord ending = run(command);
  EXPECT_EQ(ending.status.exited, 1);
  EXPECT_EQ(ending.status.exit_code, 0);
  EXPECT_EQ(ending.orphans, 1U);
  EXPECT_EQ(output("r1"), "bye\n");
  EXPECT_TRUE(left_alive().empty());
}

// While a keeper waits for a process that ignores SIGTERM, it reaps the others: processes that fork
// and exit all the time would otherwise use up the pids of the machine.
TEST_F(KeeperTest, ReapsTheOthersWhileItWaitsForOne) {
  const std::string ready = root_ + "/ready";
  Command family =
      shell("for i in 1 2 3 4 5 6 7 8 9 10 11 12; do sleep 1000 & done; (trap '' TERM; : > " +
            ready + "; while :; do sleep 1000; done) & while ! [ -e " + ready + " ]; do :; done");
  family.grace_ms = 60'000;
  request("family", family);
  const auto children = [&]() -> size_t {
    const auto journal = read_journal_state(file("family"));
    if (!journal || !journal->text.identity || !journal->text.status) return 99;
    const std::string keeper = std::to_string(journal->text.identity->keeper.pid);
    const auto text = read_file("/proc/" + keeper + "/task/" + keeper + "/children", 4096);
    return text ? static_cast<size_t>(std::ranges::count(*text, ' ')) : 99;
  };
  const SystemClock clock;
  const std::int64_t patience = clock.mono_ns() + 30'000'000'000;
  // The leader, and the one that ignores the signal.
  while (children() > 2 && clock.mono_ns() < patience) std::this_thread::yield();
  EXPECT_LE(children(), 2U);
  EXPECT_EQ(tell("family", ControlOp::stop, 0), 0);
  EXPECT_EQ(report_of(ReportKind::ended).ended.ending.survivors, 0U);
}

// R5: standard input arrives complete, followed by its end.
TEST_F(KeeperTest, SendsInput) {
  Command command = shell("cat; echo done");
  command.stdin_mode = StdinMode::pipe;
  request("r1", command);
  report_of(ReportKind::started);
  EXPECT_EQ(tell("r1", ControlOp::input, 0, "hello\n"), 0);
  EXPECT_EQ(tell("r1", ControlOp::input, 0, std::string(20'000, 'x')), 0);
  EXPECT_EQ(tell("r1", ControlOp::input_end, 0), 0);
  EXPECT_EQ(report_of(ReportKind::ended).ended.ending.status.exit_code, 0);
  EXPECT_EQ(output("r1"), "hello\n" + std::string(20'000, 'x') + "done\n");
}

// A run's file is run once: the second keeper finds it claimed and exits.
TEST_F(KeeperTest, RunsAFileOnce) {
  request("once", shell("echo x"));
  ask("once");
  std::map<ReportKind, int> seen;
  while (seen[ReportKind::occupied] + seen[ReportKind::ended] < 2) {
    ++seen[next_report().header.kind];  // Its start comes with its end, or by itself.
  }
  EXPECT_EQ(seen[ReportKind::occupied], 1);
  EXPECT_EQ(seen[ReportKind::ended], 1);
  EXPECT_EQ(output("once"), "x\n");
}

// If recovery has forbidden the launch of a file, no keeper runs it.
TEST_F(KeeperTest, AForbiddenFileNeverRuns) {
  ASSERT_TRUE(write_command(file("no"), shell("echo x")));
  ASSERT_TRUE(forbid_launch(file("no")).value());
  ask("no");
  EXPECT_EQ(next_report().header.kind, ReportKind::occupied);
  EXPECT_EQ(output("no"), "");
}

// All processes of a killed keeper die with it, and the cradle reports the loss only after that.
TEST_F(KeeperTest, AKilledKeeperLeavesNothingAlive) {
  request("r1", shell("(setsid sleep 1000 &) & echo up; sleep 1000"));
  report_of(ReportKind::started);
  EXPECT_EQ(tell("r1", ControlOp::signal, SIGCONT), 0);  // It listens, so its identity is complete.
  const auto journal = read_journal_state(file("r1"));
  ASSERT_TRUE(journal && journal->text.identity);
  EXPECT_EQ(journal->liveness, Liveness::alive);
  ASSERT_TRUE(send_signal(journal->text.identity->keeper, SIGKILL));
  EXPECT_EQ(report_of(ReportKind::lost).header.tag, tag_);
  EXPECT_TRUE(left_alive().empty());
  const auto after = read_journal_state(file("r1"));
  EXPECT_EQ(after->liveness, Liveness::dead);
  EXPECT_FALSE(after->text.status);
}

// When the daemon dies, the keeper continues and records how the command exited.
TEST_F(KeeperTest, OutlivesTheDaemon) {
  request("r1", shell("echo up; while ! [ -e " + root_ + "/go ]; do sleep 0.01; done; exit 5"));
  report_of(ReportKind::started);
  cradle_.requests.close();
  cradle_.reports.close();
  ASSERT_TRUE(replace_file(root_ + "/go", ""));
  ::waitpid(cradle_.pid, nullptr, 0);  // It stays until its last keeper has exited.
  cradle_.pid = 0;
  const auto journal = read_journal_state(file("r1"));
  ASSERT_TRUE(journal && journal->text.ending);
  EXPECT_EQ(journal->text.ending->status.exit_code, 5);
}

// R11: above its limit an output keeps its head and its tail, and the command does not notice.
TEST_F(KeeperTest, KeepsHeadAndTail) {
  Command command = shell("seq 1 100000");
  command.output_bytes_max = 64 * 1024;
  const EndingRecord ending = run(command);
  EXPECT_EQ(ending.stdout_bytes, 588'895U);
  const std::string kept = output("r1");
  EXPECT_LE(kept.size(), 64U * 1024);
  std::string printed;
  for (int i = 1; i <= 100'000; ++i) printed += std::to_string(i) + "\n";
  EXPECT_EQ(kept.size() + ending.dropped_bytes, printed.size());
  const size_t head = command.output_bytes_max / 2;
  ASSERT_GT(kept.size(), head);
  EXPECT_TRUE(kept.starts_with(printed.substr(0, head)));
  EXPECT_TRUE(printed.ends_with(kept.substr(head)));
}

// R15: the environment is removed when the run finishes; the command stays readable.
TEST_F(KeeperTest, ForgetsTheEnvironment) {
  run(shell("true"));
  const auto spec = read_file(file("r1"), 1 << 20);
  ASSERT_TRUE(spec);
  EXPECT_EQ(spec->find("DROVER_TEST"), std::string::npos);
  EXPECT_NE(spec->find("/bin/sh"), std::string::npos);
}

// The same for a run that never had a keeper.
TEST_F(KeeperTest, ForgetsTheEnvironmentOfAnUnstartedRun) {
  ASSERT_TRUE(write_command(file("unbegun"), shell("true")));
  ASSERT_TRUE(forget_environment(file("unbegun")));
  EXPECT_EQ(read_file(file("unbegun"), 1 << 20)->find("DROVER_TEST"), std::string::npos);
}

}  // namespace
}  // namespace drover::process
