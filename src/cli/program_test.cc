#include "cli/program.h"

#include <gtest/gtest.h>

#include <csignal>

namespace drover::cli {
namespace {

// Returns the output of both streams and the exit code; a program that does not exist has none.
TEST(RunProgram, CapturesOutputAndExitCode) {
  const ProgramEnd end = run_program({"sh", "-c", "echo one; echo two >&2; exit 3"});
  EXPECT_EQ(end.code, 3);
  EXPECT_EQ(end.output, "one\ntwo");
  EXPECT_EQ(run_program({"/no/such/program"}).code, -1);
}

// A program that hangs is killed, even if it has closed its output; its children are not waited
// for.
TEST(RunProgram, KillsAProgramThatHangs) {
  EXPECT_EQ(run_program({"sleep", "1000"}, 20).output, "sleep took too long");
  EXPECT_EQ(run_program({"sh", "-c", "exec sleep 1000 > /dev/null 2>&1"}, 200).code, -1);
  const ProgramEnd left = run_program({"sh", "-c", "sleep 1000 & echo $!"});
  EXPECT_EQ(left.code, 0);
  EXPECT_EQ(::kill(std::stoi(left.output), SIGKILL), 0);
}

// The program receives SIGINT and the other signals, even if we block or ignore them.
TEST(RunProgram, ReceivesSignalsThatWeBlock) {
  sigset_t held;
  sigset_t before;
  ::sigemptyset(&held);
  ::sigaddset(&held, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &held, &before);
  const auto pipe = ::signal(SIGPIPE, SIG_IGN);
  EXPECT_EQ(run_program({"sh", "-c", "kill -TERM $$; echo alive"}).output, "");
  EXPECT_EQ(run_program({"sh", "-c", "kill -PIPE $$; echo alive"}).output, "");
  ::signal(SIGPIPE, pipe);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace
}  // namespace drover::cli
