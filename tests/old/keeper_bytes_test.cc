// The format between daemon and keeper is frozen: a keeper outlives its daemon, so the daemon of
// the next release finds keepers of the previous one. keeper-1.txt was recorded from a build whose
// format is that of the previous release. If a test here fails, do not record the bytes again: give
// the changed format a new version, and read both.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/journal.h"
#include "base/output_file.h"
#include "process/command.h"
#include "process/control.h"
#include "process/cradle.h"
#include "process/report_sender.h"
#include "tests/old/frozen.h"

namespace drover::tests {
namespace {

using process::ControlOp;
using process::ReportKind;

template <class Struct>
std::string bytes_of(const Struct& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

void expect_frozen(const std::string& name, const std::string& written) {
  EXPECT_EQ(dump(written), dump(frozen(name))) << name;
}

process::Command plain_command() {
  return {.argv = {"/bin/sh", "-c", "read line; echo \"$line $GREETING\"; exit 3"},
          .environment = {"PATH=/usr/bin:/bin", "GREETING=hello"},
          .cwd = "/",
          .stdin_mode = process::StdinMode::pipe,
          .umask = 027,
          .timeout_ms = 600'001,
          .idle_timeout_ms = 600'002,
          .grace_ms = 2'003,
          .output_bytes_max = 1 << 20};
}

process::Command limited_command() {
  return {.argv = {"cat", ""},
          .environment = {"A="},
          .cwd = "/tmp",
          .stdin_mode = process::StdinMode::pty,
          .terminal = {.rows = 24, .columns = 80},
          .umask = 022,
          .keeps_environment = true,
          .limits = {.memory_bytes = 1 << 26,
                     .output_bytes = 4'096,
                     .cpu_milli = 1'500,
                     .pids = 77,
                     .nice = -5,
                     .output_ends = 1}};
}

// Every field differs from every other, so that no two can change places unseen.
JournalText journal() {
  JournalText text;
  text.identity = IdentityRecord{.boot_id = "0828e581-dc27-4523-8a8b-fe992b0daeb0",
                                 .keeper = {.pid = 29'212, .start_ticks = 802'502}};
  text.terminal = TerminalRecord{.size = {.rows = 25, .columns = 81}, .since_bytes = 11};
  text.started = StartedRecord{
      .command = {.pid = 29'213}, .wall_ms = 1'794'000'000'001, .mono_ns = 8'023'000'000'002};
  text.status = StatusRecord{.exited = 1,
                             .exit_code = 3,
                             .signal = 15,
                             .core_dumped = 4,
                             .failed_step = LaunchStep::exec,
                             .error_number = 13,
                             .cause = StopCause::idle_timeout,
                             .wall_ms = 1'794'000'000'003,
                             .mono_ns = 8'023'000'000'004};
  text.ending = EndingRecord{.status = *text.status,
                             .stdout_bytes = 6,
                             .stderr_bytes = 5,
                             .cpu_us = 2'853,
                             .peak_rss_bytes = 1'527'808,
                             .term_wall_ms = 1'794'000'000'005,
                             .kill_wall_ms = 1'794'000'000'006,
                             .ended_wall_ms = 1'794'000'000'007,
                             .signaled = 2,
                             .orphans = 7,
                             .survivors = 1,
                             .drained = 1,
                             .killed_names = {{29'213, "sh"}, {29'214, "sleep"}},
                             .survivor_names = {{29'215, "stuck"}},
                             .dropped_bytes = 9};
  text.usage = UsageRecord{.user_us = 2'000,
                           .system_us = 853,
                           .read_bytes = 512,
                           .written_bytes = 1'024,
                           .memory_peak_bytes = 1'600'000,
                           .enforced = {.memory = Enforcer::cgroup,
                                        .cpus = Enforcer::none,
                                        .pids = Enforcer::rlimit,
                                        .nice = Enforcer::priority}};
  return text;
}

class KeeperBytes : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/drover-old-XXXXXX";
    root_ = ::mkdtemp(name);
    file_ = root_ + "/1.run";
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  std::string command_written(const process::Command& command) const {
    std::filesystem::remove(file_);
    EXPECT_TRUE(process::write_command(file_, command));
    const std::string all = read_file(file_, 1 << 20).value();
    EXPECT_EQ(all.substr(0, kJournalBytes), std::string(kJournalBytes, '\0'));
    return all.substr(kJournalBytes);
  }
  process::Command command_read(const std::string& name) const {
    EXPECT_TRUE(replace_file(file_, std::string(kJournalBytes, '\0') + frozen(name)));
    const auto command = process::read_command(file_);
    EXPECT_TRUE(command);
    return command.value_or(process::Command{});
  }

  std::string root_, file_;
};

void expect_equal(const process::Command& a, const process::Command& b) {
  EXPECT_EQ(a.argv, b.argv);
  EXPECT_EQ(a.environment, b.environment);
  EXPECT_EQ(a.cwd, b.cwd);
  EXPECT_EQ(a.stdin_mode, b.stdin_mode);
  EXPECT_EQ(a.terminal, b.terminal);
  EXPECT_EQ(a.umask, b.umask);
  EXPECT_EQ(a.timeout_ms, b.timeout_ms);
  EXPECT_EQ(a.idle_timeout_ms, b.idle_timeout_ms);
  EXPECT_EQ(a.grace_ms, b.grace_ms);
  EXPECT_EQ(a.output_bytes_max, b.output_bytes_max);
  EXPECT_EQ(a.keeps_environment, b.keeps_environment);
  EXPECT_EQ(a.limits, b.limits);
}

// R18: the file in which a daemon hands a command to its keeper, with and without limits.
TEST_F(KeeperBytes, OfCommandsAreFrozen) {
  expect_frozen("command", command_written(plain_command()));
  expect_frozen("command-limits", command_written(limited_command()));
  expect_equal(command_read("command"), plain_command());
  expect_equal(command_read("command-limits"), limited_command());
}

// R18: every record of the journal, written and read.
TEST_F(KeeperBytes, OfTheJournalAreFrozen) {
  const JournalText expected = journal();
  {
    const Fd fd(::open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    ASSERT_EQ(::ftruncate(fd.get(), kJournalBytes), 0);
    ASSERT_TRUE(write_record(fd.get(), *expected.identity));
    ASSERT_TRUE(write_record(fd.get(), *expected.terminal));
    ASSERT_TRUE(write_record(fd.get(), *expected.started));
    ASSERT_TRUE(write_record(fd.get(), *expected.status));
    ASSERT_TRUE(write_record(fd.get(), *expected.usage));
    ASSERT_TRUE(write_record(fd.get(), *expected.ending));
  }
  expect_frozen("journal", read_file(file_, 1 << 20).value());

  ASSERT_TRUE(replace_file(file_, frozen("journal")));
  const auto journal = read_journal_state(file_);
  ASSERT_TRUE(journal);
  EXPECT_EQ(journal->liveness, Liveness::dead);
  const JournalText& read = journal->text;
  ASSERT_TRUE(read.identity && read.terminal && read.started);
  ASSERT_TRUE(read.status && read.ending && read.usage);
  EXPECT_FALSE(read.marks);  // The previous release did not write them.
  EXPECT_EQ(bytes_of(*read.identity), bytes_of(*expected.identity));
  EXPECT_EQ(bytes_of(*read.terminal), bytes_of(*expected.terminal));
  EXPECT_EQ(bytes_of(*read.started), bytes_of(*expected.started));
  EXPECT_EQ(bytes_of(*read.status), bytes_of(*expected.status));
  EXPECT_EQ(bytes_of(*read.ending), bytes_of(*expected.ending));
  EXPECT_EQ(bytes_of(*read.usage), bytes_of(*expected.usage));
}

// R18: the index that says which stream printed which bytes, and when.
TEST_F(KeeperBytes, OfTheIndexAreFrozen) {
  {
    const Fd directory(::open(root_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    OutputWriter writer(directory.get(), 1 << 20);
    writer.append(Stream::out, "hello\n", 1'794'000'000'001);
    writer.append(Stream::err, "oops\n", 1'794'000'000'102);
  }
  expect_frozen("index", read_file(root_ + "/index", 1 << 20).value());
  expect_frozen("output", read_file(root_ + "/output", 1 << 20).value());

  ASSERT_TRUE(replace_file(root_ + "/index", frozen("index")));
  ASSERT_TRUE(replace_file(root_ + "/output", frozen("output")));
  std::uint64_t next = 0;
  const auto pieces = OutputReader(root_).read(0, 100, Stream::both, &next);
  ASSERT_TRUE(pieces && pieces->size() == 2);
  EXPECT_EQ(pieces->at(0).bytes, "hello\n");
  EXPECT_EQ(pieces->at(1).bytes, "oops\n");
  EXPECT_EQ(pieces->at(1).stream, Stream::err);
  EXPECT_EQ(pieces->at(1).time, 1'794'000'000'102);
}

// R18: the messages on a keeper's socket. Their payload follows them; adopted_test.cc sends them
// through a daemon, and old_daemon_test.cc to a keeper.
TEST_F(KeeperBytes, OfMessagesAreFrozen) {
  using process::ControlMessage;
  expect_frozen("signal", bytes_of(ControlMessage{.op = ControlOp::signal, .argument = 12}));
  expect_frozen("stop", bytes_of(ControlMessage{.op = ControlOp::stop, .argument = 1'234}));
  expect_frozen("input",
                bytes_of(ControlMessage{.op = ControlOp::input, .payload_bytes = 5}) + "ping\n");
  expect_frozen("input-end", bytes_of(ControlMessage{.op = ControlOp::input_end}));
  expect_frozen("resize",
                bytes_of(ControlMessage{.op = ControlOp::resize,
                                        .argument = process::pack({.rows = 30, .columns = 90})}));
  expect_frozen("done", bytes_of(process::ControlAnswer{}));
  expect_frozen("no-pty", bytes_of(process::ControlAnswer{.error_number = ENOTTY}));
  EXPECT_EQ(process::control_name("run_01kas7c0m2v5x8y1b4e7h0k3n6"), "c0m2v5x8y1b4e7h0k3n6");
}

// R18: what a daemon asks of its cradle, and every report that comes back.
TEST_F(KeeperBytes, OfRequestsAndReportsAreFrozen) {
  expect_frozen("request", bytes_of(process::make_request(7, "run_old")));

  const JournalText text = journal();
  const process::EndedReport ended{
      .ending = *text.ending, .started_wall_ms = 1'794'000'000'001, .usage = *text.usage};
  const process::LaunchFailure failure{.step = LaunchStep::folder, .error_number = ENOSPC};
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const Fd read_end(ends[0]), write_end(ends[1]);
  const auto sent = [&](ReportKind kind, const void* payload, size_t size) {
    process::ReportSender line(write_end.get(), 7);
    line.send(kind, payload, size);
    char buffer[4096];
    const ssize_t n = ::read(read_end.get(), buffer, sizeof buffer);
    return std::string(buffer, static_cast<size_t>(n));
  };
  expect_frozen("started", sent(ReportKind::started, &*text.started, sizeof *text.started));
  expect_frozen("ended", sent(ReportKind::ended, &ended, sizeof ended));
  expect_frozen("occupied", sent(ReportKind::occupied, nullptr, 0));
  expect_frozen("refused", sent(ReportKind::refused, &failure, sizeof failure));
  expect_frozen("lost", sent(ReportKind::lost, nullptr, 0));

  process::Report report;
  const auto read = [&](const char* name) {
    const std::string bytes = frozen(name);
    EXPECT_EQ(::write(write_end.get(), bytes.data(), bytes.size()),
              static_cast<ssize_t>(bytes.size()));
    return process::read_report(read_end.get(), report) == process::ReportRead::valid;
  };
  ASSERT_TRUE(read("started"));
  EXPECT_EQ(report.header.kind, ReportKind::started);
  EXPECT_EQ(report.header.tag, 7U);
  EXPECT_EQ(bytes_of(report.started), bytes_of(*text.started));
  ASSERT_TRUE(read("ended"));
  EXPECT_EQ(report.header.kind, ReportKind::ended);
  EXPECT_EQ(bytes_of(report.ended), bytes_of(ended));
  ASSERT_TRUE(read("occupied"));
  EXPECT_EQ(report.header.kind, ReportKind::occupied);
  ASSERT_TRUE(read("refused"));
  EXPECT_EQ(report.header.kind, ReportKind::refused);
  EXPECT_EQ(bytes_of(report.failure), bytes_of(failure));
  ASSERT_TRUE(read("lost"));
  EXPECT_EQ(report.header.kind, ReportKind::lost);
}

}  // namespace
}  // namespace drover::tests
