#include "cli/program.h"

#include <gtest/gtest.h>

#include <csignal>

namespace drover::cli {
namespace {

// What it prints to both streams, and its exit code; one that is not there is no end at all.
TEST(RunProgram, KeepsWhatItPrints) {
  const ProgramEnd end = run_program({"sh", "-c", "echo one; echo two >&2; exit 3"});
  EXPECT_EQ(end.code, 3);
  EXPECT_EQ(end.output, "one\ntwo");
  EXPECT_EQ(run_program({"/no/such/program"}).code, -1);
}

// One that hangs is killed, also if it has closed its output; its own children are not waited for.
TEST(RunProgram, IsNotWaitedForForever) {
  EXPECT_EQ(run_program({"sleep", "1000"}, 20).output, "sleep took too long");
  EXPECT_EQ(run_program({"sh", "-c", "exec sleep 1000 > /dev/null 2>&1"}, 200).code, -1);
  const ProgramEnd left = run_program({"sh", "-c", "sleep 1000 & echo $!"});
  EXPECT_EQ(left.code, 0);
  EXPECT_EQ(::kill(std::stoi(left.output), SIGKILL), 0);
}

// Ctrl-C and all others reach it, whatever we hold back or ignore ourselves.
TEST(RunProgram, HearsSignals) {
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
