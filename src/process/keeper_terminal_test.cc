// Commands with a terminal, through a real cradle and a real kernel.
#include "process/keeper_fixture.h"

namespace drover::process {
namespace {

class KeeperTerminalTest : public KeeperTest {
 protected:
  Command on_terminal(const std::string& script) const {
    Command command = shell(script);
    command.stdin_mode = StdinMode::pty;
    command.terminal = {.rows = 30, .columns = 100};
    return command;
  }
  TerminalSize recorded(const std::string& name) const {
    const auto journal = read_journal_state(file(name));
    EXPECT_TRUE(journal && journal->text.terminal);
    return journal && journal->text.terminal ? journal->text.terminal->size : TerminalSize{};
  }
};

// S1: all three descriptors are one terminal of the requested size, it is the session's controlling
// terminal, and both streams arrive as one.
TEST_F(KeeperTerminalTest, IsATerminal) {
  const EndingRecord ending = run(on_terminal(
      "[ -t 0 ] && [ -t 1 ] && [ -t 2 ] && stty size </dev/tty && echo to-err >&2; exit 4"));
  EXPECT_EQ(ending.status.exit_code, 4);
  EXPECT_EQ(output("r1"), "30 100\r\nto-err\r\n");
  EXPECT_EQ(output("r1", Stream::err), "");
  EXPECT_EQ(ending.stdout_bytes, 16U);
  EXPECT_EQ(ending.drained, 1U);
  EXPECT_EQ(recorded("r1"), (TerminalSize{.rows = 30, .columns = 100}));
}

// R11: the last output of a command is not lost when it exits.
TEST_F(KeeperTerminalTest, KeepsTheLastOutput) {
  const EndingRecord ending = run(on_terminal("seq 1 20000"));
  EXPECT_EQ(ending.stdout_bytes, 128'894U);
  EXPECT_TRUE(output("r1").ends_with("\r\n20000\r\n"));
}

// R11: on a terminal both streams keep their exact order.
TEST_F(KeeperTerminalTest, KeepsTheOrderOfBothStreams) {
  run(on_terminal("for i in $(seq 500); do echo out $i; echo err $i >&2; done"));
  std::string printed;
  for (int i = 1; i <= 500; ++i) {
    printed += "out " + std::to_string(i) + "\r\nerr " + std::to_string(i) + "\r\n";
  }
  EXPECT_EQ(output("r1"), printed);
}

// R5: typed input arrives, control characters act as on a terminal, and the end of input is the
// terminal's own, also within a line.
TEST_F(KeeperTerminalTest, AcceptsTypedInput) {
  request("r1", on_terminal("stty -echo; trap 'echo got-int' INT; echo up; cat; cat; echo over"));
  wait_for_output("r1", "up");
  EXPECT_EQ(tell("r1", ControlOp::input, 0, "one\n"), 0);
  wait_for_output("r1", "one");
  EXPECT_EQ(tell("r1", ControlOp::input, 0, "half"), 0);
  EXPECT_EQ(tell("r1", ControlOp::input_end, 0), 0);
  wait_for_output("r1", "half");
  EXPECT_EQ(tell("r1", ControlOp::input, 0, "\x03"), 0);  // It ends the second cat.
  const EndingRecord ending = report_of(ReportKind::ended).ended.ending;
  EXPECT_EQ(ending.status.exit_code, 0);
  const std::string text = output("r1");
  EXPECT_NE(text.find("got-int"), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("over\r\n")) << text;
}

// A terminal can be resized, alone or with input; the command is notified, the size is recorded,
// and an invalid size changes nothing.
TEST_F(KeeperTerminalTest, CanBeResized) {
  request("r1", on_terminal("trap 'stty size' WINCH; echo up; while :; do sleep 0.01; done"));
  wait_for_output("r1", "up");
  EXPECT_EQ(tell("r1", ControlOp::resize, pack({.rows = 50, .columns = 200})), 0);
  wait_for_output("r1", "50 200");
  EXPECT_EQ(tell("r1", ControlOp::input, pack({.rows = 20, .columns = 70}), "x\n"), 0);
  wait_for_output("r1", "20 70");
  EXPECT_EQ(tell("r1", ControlOp::resize, 0), 0);
  EXPECT_EQ(recorded("r1"), (TerminalSize{.rows = 20, .columns = 70}));
  EXPECT_EQ(tell("r1", ControlOp::stop, 0), 0);
  report_of(ReportKind::ended);
  EXPECT_EQ(recorded("r1"), (TerminalSize{.rows = 20, .columns = 70}));
}

// A command without a terminal has nothing to resize.
TEST_F(KeeperTerminalTest, APipeHasNoSize) {
  Command command = shell("cat");
  command.stdin_mode = StdinMode::pipe;
  request("r1", command);
  EXPECT_EQ(tell("r1", ControlOp::resize, pack({.rows = 5, .columns = 5})), ENOTTY);
  EXPECT_EQ(tell("r1", ControlOp::input, pack({.rows = 5, .columns = 5}), "x"), 0);
  EXPECT_EQ(tell("r1", ControlOp::input_end, 0), 0);
  report_of(ReportKind::ended);
  EXPECT_FALSE(read_journal_state(file("r1"))->text.terminal);
}

// R7: a command that ignores HUP and TERM is killed, with its processes on the terminal.
TEST_F(KeeperTerminalTest, KillsACommandThatIgnoresSignals) {
  Command command = on_terminal(
      "trap '' HUP TERM INT; (trap '' HUP TERM; while :; do sleep 1000; done) & "
      "echo deaf; while :; do sleep 1000; done");
  command.grace_ms = 50;
  request("r1", command);
  wait_for_output("r1", "deaf");
  EXPECT_EQ(tell("r1", ControlOp::stop, 50), 0);
  const EndingRecord ending = report_of(ReportKind::ended).ended.ending;
  EXPECT_EQ(ending.status.signal, SIGKILL);
  EXPECT_EQ(ending.status.cause, StopCause::cancel);
  EXPECT_GE(ending.signaled, 2U);
  EXPECT_EQ(ending.survivors, 0U);
  EXPECT_TRUE(left_alive().empty());
}

// R7: a child that keeps the terminal open does not keep the run active, and is killed.
TEST_F(KeeperTerminalTest, AnOpenTerminalDoesNotKeepTheRunActive) {
  const EndingRecord ending =
      run(on_terminal("(trap '' HUP; exec setsid sleep 1000) & sleep 0.05; echo bye; exit 3"));
  EXPECT_EQ(ending.status.exit_code, 3);
  EXPECT_EQ(ending.orphans, 1U);
  EXPECT_EQ(output("r1"), "bye\r\n");
  EXPECT_TRUE(left_alive().empty());
}

// A command that closes its descriptors still has its terminal.
TEST_F(KeeperTerminalTest, ACommandMayCloseItsDescriptors) {
  const EndingRecord ending =
      run(on_terminal("exec </dev/null >/dev/null 2>&1; sleep 0.1; echo again >/dev/tty; exit 6"));
  EXPECT_EQ(ending.status.exit_code, 6);
  EXPECT_EQ(output("r1"), "again\r\n");
}

// A megabyte for a program that does not read is accepted up to the bound, then refused; the run
// can still be stopped.
TEST_F(KeeperTerminalTest, UnreadInputIsBounded) {
  request("r1", on_terminal("stty raw -echo; echo up; sleep 1000"));
  wait_for_output("r1", "up");
  const std::string piece(kControlPayloadMax, 'x');
  size_t taken = 0;
  int refused = 0;
  while (refused == 0 && taken < 4 * limits::kInputPendingMax) {
    refused = tell("r1", ControlOp::input, 0, piece);
    if (refused == 0) taken += piece.size();
  }
  EXPECT_EQ(refused, EAGAIN);
  EXPECT_LE(taken, limits::kInputPendingMax + 128 * 1024);
  EXPECT_EQ(tell("r1", ControlOp::stop, 0), 0);
  EXPECT_EQ(report_of(ReportKind::ended).ended.ending.status.signal, SIGKILL);
}

// H6: a failed launch says why, with a terminal as without.
TEST_F(KeeperTerminalTest, AFailedLaunchNamesItsStep) {
  Command command = on_terminal("");
  command.argv = {"no-such-program-anywhere"};
  const EndingRecord ending = run(command);
  EXPECT_EQ(ending.status.failed_step, LaunchStep::exec);
  EXPECT_EQ(ending.drained, 1U);
}

// The header says that a run has a terminal, also after its environment was removed.
TEST_F(KeeperTerminalTest, TheHeaderNamesTheTerminal) {
  run(on_terminal("true"));
  const auto header = read_header(file("r1"));
  ASSERT_TRUE(header);
  EXPECT_EQ(header->stdin_mode, StdinMode::pty);
  EXPECT_EQ(header->rows, 30);
  EXPECT_EQ(header->umask, 022);
  EXPECT_FALSE(read_header(file("nowhere")));
}

}  // namespace
}  // namespace drover::process
