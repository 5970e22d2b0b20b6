// Input, output, reports and control of a keeper, and how it handles stalls.
#include <sched.h>
#include <sys/un.h>

#include <algorithm>

#include "base/limits.h"
#include "process/keeper_fixture.h"

namespace drover::process {
namespace {

using KeeperFlowTest = KeeperTest;

// R5: input that a command does not read is buffered up to a bound; then the sender must wait. No
// accepted input is lost, and the end of input comes after it.
TEST_F(KeeperFlowTest, InputWaitsForASlowReader) {
  Command command =
      shell("while ! [ -e " + root_ + "/go ]; do sleep 0.01; done; cat > " + root_ + "/read");
  command.stdin_mode = StdinMode::pipe;
  request("r1", command);
  report_of(ReportKind::started);
  std::string sent;
  int answer = 0;
  while (answer == 0) {
    const std::string piece(30'000, static_cast<char>('a' + sent.size() / 30'000 % 26));
    answer = tell("r1", ControlOp::input, 0, piece);
    if (answer == 0) sent += piece;
    ASSERT_LT(sent.size(), 2 * limits::kInputPendingMax);
  }
  EXPECT_EQ(answer, EAGAIN);
  EXPECT_EQ(tell("r1", ControlOp::input_end, 0), 0);
  EXPECT_EQ(tell("r1", ControlOp::input, 0, "late"), EPIPE);
  ASSERT_TRUE(replace_file(root_ + "/go", ""));
  EXPECT_EQ(report_of(ReportKind::ended).ended.ending.status.exit_code, 0);
  EXPECT_TRUE(read_file(root_ + "/read", 1 << 24).value() == sent);
}

// A command without standard input accepts none.
TEST_F(KeeperFlowTest, RefusesInputWithoutStandardInput) {
  request("r1", shell("sleep 1000"));
  report_of(ReportKind::started);
  EXPECT_EQ(tell("r1", ControlOp::input, 0, "x"), EPIPE);
  EXPECT_EQ(tell("r1", ControlOp::stop, 0), 0);
  report_of(ReportKind::ended);
}

// R1: the resources of the command and its children are counted.
TEST_F(KeeperFlowTest, CountsUsedResources) {
  const std::string work = "i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done";
  const EndingRecord alone = run(shell(work));
  EXPECT_GT(alone.cpu_us, 0U);
  EXPECT_GT(alone.peak_rss_bytes, 0U);
  EXPECT_GT(run(shell("(" + work + ") & exit 0")).cpu_us, 0U);
}

// R10: the idle timeout counts from the last output, not from the start.
TEST_F(KeeperFlowTest, OutputPostponesTheIdleTimeout) {
  Command command = shell("sleep 0.1; echo here; sleep 1000");
  command.idle_timeout_ms = 1'000;
  const StatusRecord status = run(command).status;
  EXPECT_EQ(status.cause, StopCause::idle_timeout);
  const auto journal = read_journal_state(file("r1"));
  ASSERT_TRUE(journal && journal->text.started);
  EXPECT_GE(status.mono_ns - journal->text.started->mono_ns, 1'100'000'000);
}

// Makes `command` one with an exact reader, whose output is larger than the reserve.
Command flooding(Command command) {
  command.output_bytes_max = limits::kOutputLimitMin;
  command.has_exact_reader = true;
  return command;
}
constexpr size_t kFloodBytes = 80'000'000;
constexpr const char* kFlood = "yes 0123456789abcde | head -c 80000000";

std::string flood() {
  std::string out;
  while (out.size() < kFloodBytes) out += "0123456789abcde\n";
  return out;
}

// The name of the last file that the reserve has room for.
std::string last_of_reserve() {
  return "/output." +
         std::to_string(2 + limits::kOutputReserveBytes / limits::kOutputReserveSegmentBytes);
}

// R11: once the reserve is full, the command waits for its exact reader, as it would for the reader
// of a pipe; the reader gets every byte, and the wait does not count as idle time.
TEST_F(KeeperFlowTest, ACommandWaitsForItsExactReader) {
  const std::string done = root_ + "/done";
  Command command = flooding(shell(std::string(kFlood) + "; : > " + done));
  command.idle_timeout_ms = 200;
  request("r1", command);
  std::filesystem::create_directory(directory("r1"));
  watch(directory("r1"),
        [&] { return std::filesystem::exists(directory("r1") + last_of_reserve()); });
  pollfd reports{.fd = cradle_.reports.get(), .events = POLLIN, .revents = 0};
  (void)next_report();                      // It has started.
  while (::poll(&reports, 1, 1'000) > 0) {  // Five times as long as it may be idle.
    ASSERT_EQ(next_report_of_any_kind().header.kind, ReportKind::grown);
  }
  EXPECT_FALSE(std::filesystem::exists(done));

  OutputReader reader(directory("r1"));
  const auto control = connect_control(root_ + "/k", "r1");
  ASSERT_TRUE(control && *control);
  std::string seen;
  for (std::uint64_t next = 0; !std::filesystem::exists(done);) {
    const auto pieces = reader.read(next, 1 << 20, Stream::both, &next);
    ASSERT_TRUE(pieces);
    for (const OutputPiece& piece : *pieces) {
      ASSERT_FALSE(piece.is_gap());
      seen += piece.bytes;
    }
    const ControlMessage message{.op = ControlOp::read_to,
                                 .argument = static_cast<std::int64_t>(next)};
    (void)::send(control->get(), &message, sizeof message, MSG_NOSIGNAL);  // It may have finished.
    ControlAnswer answer;
    (void)::recv(control->get(), &answer, sizeof answer, 0);
  }
  const EndingRecord ending = report_of(ReportKind::ended).ended.ending;
  EXPECT_EQ(ending.status.exited, 1);
  EXPECT_EQ(ending.status.cause, StopCause::none);
  std::uint64_t next = seen.size();
  const auto rest = reader.read(next, 1 << 28, Stream::both, &next);
  ASSERT_TRUE(rest);
  for (const OutputPiece& piece : *rest) seen += piece.bytes;
  EXPECT_TRUE(seen == flood());
}

// R11: a command that waits for its exact reader can be stopped; the stop does not wait for the
// reader, and the last output is kept.
TEST_F(KeeperFlowTest, AStopDoesNotWaitForTheReader) {
  request("r1", flooding(shell("trap 'echo bye; exit 3' TERM; " + std::string(kFlood) +
                               " & wait; while :; do sleep 0.01; done")));
  std::filesystem::create_directory(directory("r1"));
  watch(directory("r1"),
        [&] { return std::filesystem::exists(directory("r1") + last_of_reserve()); });
  EXPECT_EQ(tell("r1", ControlOp::stop, 5'000), 0);
  const EndingRecord ending = report_of(ReportKind::ended).ended.ending;
  EXPECT_EQ(ending.status.exit_code, 3);
  OutputReader reader(directory("r1"));
  // The flood may have been within a write when the stop came.
  constexpr std::uint64_t kPipes = 2 << 20;
  std::uint64_t next = ending.stdout_bytes - kPipes;
  const auto last = reader.read(next, kPipes, Stream::both, &next);
  ASSERT_TRUE(last);
  std::string text;
  for (const OutputPiece& piece : *last) text += piece.bytes;
  EXPECT_EQ(text.size(), kPipes);
  EXPECT_NE(text.find("bye\n"), std::string::npos);
}

// R11: a reader that was forgotten and comes back is waited for again.
TEST_F(KeeperFlowTest, AReaderMayComeBack) {
  request("r1", flooding(shell("while ! [ -e " + root_ + "/go ]; do sleep 0.01; done; " + kFlood)));
  report_of(ReportKind::started);
  EXPECT_EQ(tell("r1", ControlOp::read_to, -1), 0);
  EXPECT_EQ(tell("r1", ControlOp::read_to, 0), 0);
  ASSERT_TRUE(replace_file(root_ + "/go", ""));
  std::filesystem::create_directory(directory("r1"));
  watch(directory("r1"),
        [&] { return std::filesystem::exists(directory("r1") + last_of_reserve()); });
  std::uint64_t next = 0;
  OutputReader reader(directory("r1"));
  const auto first = reader.read(0, 10 << 20, Stream::both, &next);
  ASSERT_TRUE(first);
  EXPECT_TRUE(std::ranges::none_of(*first, &OutputPiece::is_gap));
  EXPECT_EQ(tell("r1", ControlOp::stop, 0), 0);
  report_of(ReportKind::ended);
}

// R11: of a command that is killed while it waits for its reader, the reader gets what was in the
// pipe, too.
TEST_F(KeeperFlowTest, AKilledCommandHasPrintedWhatIsInItsPipe) {
  request("r1", flooding(shell("exec head -c 1000000000 /dev/zero")));
  std::filesystem::create_directory(directory("r1"));
  watch(directory("r1"),
        [&] { return std::filesystem::exists(directory("r1") + last_of_reserve()); });
  EXPECT_EQ(tell("r1", ControlOp::stop, 0), 0);
  const EndingRecord ending = report_of(ReportKind::ended).ended.ending;
  EXPECT_EQ(ending.drained, 1);
  OutputReader reader(directory("r1"));
  reader.expect(ending.stdout_bytes);
  std::uint64_t next = 0;
  const auto all = reader.read(0, 1 << 30, Stream::both, &next);
  ASSERT_TRUE(all);
  EXPECT_EQ(next, ending.stdout_bytes);
  EXPECT_TRUE(std::ranges::none_of(*all, &OutputPiece::is_gap));
}

// R11: when its exact reader leaves, the command continues at once, and no more of its output is
// kept than for any other run.
TEST_F(KeeperFlowTest, TheCommandContinuesWithoutItsReader) {
  request("r1", flooding(shell(kFlood)));
  std::filesystem::create_directory(directory("r1"));
  watch(directory("r1"),
        [&] { return std::filesystem::exists(directory("r1") + last_of_reserve()); });
  EXPECT_EQ(tell("r1", ControlOp::read_to, -1), 0);
  const EndingRecord ending = report_of(ReportKind::ended).ended.ending;
  EXPECT_EQ(ending.status.exited, 1);
  const std::string printed = flood();
  EXPECT_EQ(ending.stdout_bytes, printed.size());
  EXPECT_LE(output("r1").size(), limits::kOutputLimitMin);
  EXPECT_EQ(ending.dropped_bytes, printed.size() - output("r1").size());
  EXPECT_TRUE(printed.ends_with(output("r1").substr(limits::kOutputLimitMin / 2)));
}

// R11: a command waits for a reader that is connected, and for the stated time after the connection
// broke, as when the daemon dies. Then it continues without a reader.
TEST_F(KeeperFlowTest, TheCommandContinuesAfterTheReadersAbsence) {
  constexpr int kAwayMs = 200;
  cradle_.requests.close();
  ::waitpid(cradle_.pid, nullptr, 0);
  start_cradle(kAwayMs);
  request("r1", flooding(shell("while ! [ -e " + root_ + "/go ]; do sleep 0.01; done; " + kFlood)));
  report_of(ReportKind::started);
  Fd reader;
  watch(root_ + "/k", [&] {
    auto connected = connect_control(root_ + "/k", "r1");
    if (connected) reader = std::move(*connected);
    return static_cast<bool>(reader);
  });
  const ControlMessage message{.op = ControlOp::read_to, .argument = 0};
  ASSERT_EQ(::send(reader.get(), &message, sizeof message, 0), ssize_t{sizeof message});
  pollfd answered{.fd = reader.get(), .events = POLLIN, .revents = 0};
  ASSERT_EQ(::poll(&answered, 1, 10'000), 1);
  ControlAnswer answer;
  ASSERT_EQ(::recv(reader.get(), &answer, sizeof answer, 0), ssize_t{sizeof answer});
  std::filesystem::create_directory(directory("r1"));
  ASSERT_TRUE(replace_file(root_ + "/go", ""));
  watch(directory("r1"),
        [&] { return std::filesystem::exists(directory("r1") + last_of_reserve()); });
  pollfd reports{.fd = cradle_.reports.get(), .events = POLLIN, .revents = 0};
  while (::poll(&reports, 1, 5 * kAwayMs) > 0) {
    ASSERT_EQ(next_report_of_any_kind().header.kind, ReportKind::grown);
  }
  reader.close();
  const EndingRecord ending = report_of(ReportKind::ended).ended.ending;
  EXPECT_EQ(ending.status.exited, 1);
  EXPECT_EQ(ending.stdout_bytes, kFloodBytes);
  EXPECT_GT(ending.dropped_bytes, 0U);
}

// R11: output that a command's children print while they are being stopped is kept, too.
TEST_F(KeeperFlowTest, KeepsTheLastOutputOfChildren) {
  const EndingRecord ending = run(shell("(trap 'echo bye; exit' TERM; echo up > " + root_ +
                                        "/up; while :; do sleep 0.01; done) & while ! [ -e " +
                                        root_ + "/up ]; do sleep 0.01; done"));
  EXPECT_EQ(ending.status.exit_code, 0);
  EXPECT_EQ(output("r1", Stream::out), "bye\n");
  EXPECT_EQ(ending.stdout_bytes, 4U);
}

// R11: a command that closes its outputs is kept until it exits, and so is its output.
TEST_F(KeeperFlowTest, OutputsMayBeClosedLongBeforeTheExit) {
  const std::string pipe = root_ + "/pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  request("r1", shell("echo first; exec >&- 2>&-; read x < " + pipe + "; exit 4"));
  Fd(::open(pipe.c_str(), O_WRONLY | O_CLOEXEC));  // Blocks until the command has opened it.
  const EndingRecord ending = report_of(ReportKind::ended).ended.ending;
  EXPECT_EQ(ending.status.exit_code, 4);
  EXPECT_EQ(ending.drained, 1);
  EXPECT_EQ(output("r1", Stream::out), "first\n");
}

// A child that is about to finish when the command exits may do so: it is not killed at once.
TEST_F(KeeperFlowTest, AChildMayFinishAfterTheExit) {
  const std::string pipe = root_ + "/pipe";  // Closed only by the command's exit.
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const Command command = shell("(read x < " + pipe + "; sleep 0.02; echo end) & exec 4> " + pipe);
  bool finished = false;
  for (int i = 0; i < 20 && !finished; ++i) {  // A busy machine may be too slow sometimes.
    const EndingRecord ending = run(command);
    finished = ending.signaled == 0 && output("r" + std::to_string(tag_)) == "end\n";
  }
  EXPECT_TRUE(finished);
}

// A busy daemon misses nothing: reports wait until the pipe has room, complete and in order.
TEST_F(KeeperFlowTest, ReportsWaitForASlowDaemon) {
  ::fcntl(cradle_.reports.get(), F_SETPIPE_SZ, 4096);  // Room for about seven.
  constexpr int kRuns = 40;
  for (int i = 1; i <= kRuns; ++i) {
    request("r" + std::to_string(i), shell("exit " + std::to_string(i)));
  }
  // All have exited, most of them with a report that did not fit.
  for (int i = 1; i <= kRuns; ++i) {
    while (!read_journal_state(file("r" + std::to_string(i)))->text.ending) ::sched_yield();
  }
  std::map<std::uint64_t, int> codes;
  while (codes.size() < kRuns) {
    const Report report = next_report();
    ASSERT_TRUE(report.header.kind == ReportKind::started ||
                report.header.kind == ReportKind::ended);
    if (report.header.kind == ReportKind::ended) {
      codes[report.header.tag] = report.ended.ending.status.exit_code;
    }
  }
  for (int i = 1; i <= kRuns; ++i) EXPECT_EQ(codes[static_cast<std::uint64_t>(i)], i);
}

// A keeper's socket exists while its command runs, and is removed before the end is reported.
TEST_F(KeeperFlowTest, TheSocketIsRemovedWithTheCommand) {
  request("r1", shell("sleep 1000"));
  report_of(ReportKind::started);
  EXPECT_EQ(tell("r1", ControlOp::stop, 0), 0);
  report_of(ReportKind::ended);
  EXPECT_TRUE(std::filesystem::is_empty(root_ + "/k"));
}

// Only its own user and root are accepted, also if others can reach the socket.
TEST_F(KeeperFlowTest, RefusesAnotherUser) {
  if (::geteuid() != 0) return;  // Only root can become another user.
  request("r1", shell("sleep 1000"));
  report_of(ReportKind::started);
  EXPECT_EQ(tell("r1", ControlOp::signal, SIGCONT), 0);
  const std::string path = root_ + "/k/r1";
  for (const std::string& way : {root_, root_ + "/k", path}) ::chmod(way.c_str(), 0777);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  const Fd fd(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  ASSERT_EQ(::seteuid(65534), 0);
  const int connected = ::connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address);
  ASSERT_EQ(::seteuid(0), 0);
  ASSERT_EQ(connected, 0);
  const ControlMessage stop{.op = ControlOp::stop, .payload_bytes = 0, .argument = 0};
  (void)::send(fd.get(), &stop, sizeof stop, MSG_NOSIGNAL);  // It may have disconnected already.
  ControlAnswer answer;
  EXPECT_LE(::recv(fd.get(), &answer, sizeof answer, 0), 0);
  EXPECT_EQ(tell("r1", ControlOp::signal, SIGCONT), 0);
  EXPECT_EQ(tell("r1", ControlOp::stop, 0), 0);
  report_of(ReportKind::ended);
}

// A signal goes to the command's group; after the exit there is none to receive it.
TEST_F(KeeperFlowTest, ASignalReachesTheGroup) {
  Command command = shell(
      "(trap 'echo child; exit' USR1; echo up; while :; do sleep 0.01; done) & "
      "trap 'echo parent; wait; exit 3' USR1; while :; do sleep 0.01; done");
  request("r1", command);
  report_of(ReportKind::started);
  wait_for_output("r1", "up");
  EXPECT_EQ(tell("r1", ControlOp::signal, SIGUSR1), 0);
  EXPECT_EQ(report_of(ReportKind::ended).ended.ending.status.exit_code, 3);
  const std::string said = output("r1");
  EXPECT_NE(said.find("child"), std::string::npos) << said;
  EXPECT_NE(said.find("parent"), std::string::npos) << said;
}

}  // namespace
}  // namespace drover::process
