// `drover wait`, also with a daemon that is silent or gone: the real program.
#include <gtest/gtest.h>

#include <latch>

#include "cli/client/fake_daemon.h"

namespace drover::cli {
namespace {

// S1: of several runs, each one that did not complete is named.
TEST(Wait, NamesTheRunThatFailed) {
  FakeDaemon daemon([](const ReceivedRequest& request, Reply& reply) {
    const bool good = request.target.contains("good");
    reply.json(200, good ? R"({"run_id":"run_good","state":"completed","reason":"exit_zero",
                               "exit_code":0,"message":"exited with code 0"})"
                         : R"({"run_id":"run_bad","state":"failed","reason":"exit_nonzero",
                               "exit_code":3,"message":"exited with code 3"})");
  });
  const ProgramResult both = drover_says({"wait", "run_good", "run_bad"}, daemon.home());
  EXPECT_EQ(both.code, 3);
  EXPECT_EQ(both.err, "drover: run_bad failed: exited with code 3\n");
  EXPECT_EQ(drover_says({"wait", "run_bad"}, daemon.home()).err, "");
}

// S1: `wait --timeout` exits with 124 after that time even if the daemon never answers. It does not
// claim that the run is still active: nobody knows.
TEST(Wait, TimesOutWhileTheDaemonIsSilent) {
  FakeDaemon daemon([](const ReceivedRequest&, Reply&) {});
  const ProgramResult ended = drover_says({"wait", "--timeout", "20ms", "build"}, daemon.home());
  EXPECT_EQ(ended.code, 124);
  EXPECT_EQ(ended.out, "");
  EXPECT_NE(
      ended.err.find("cannot tell whether build has finished: after 20ms, the daemon did not"),
      std::string::npos)
      << ended.err;
  EXPECT_EQ(daemon.count("GET", "/api/runs/build"), 1U);
}

// The same if the daemon goes away while `wait` waits, and has not come back by then.
TEST(Wait, TimesOutWhileTheDaemonIsAway) {
  std::latch gone(1);
  FakeDaemon daemon([&](const ReceivedRequest&, Reply& reply) {
    gone.wait();
    reply.cut();
  });
  Program waiting({"wait", "--timeout", "20ms", "build"}, {.home = daemon.home()});
  daemon.await("GET", "/api/runs/build");
  daemon.go_away();
  gone.count_down();
  EXPECT_EQ(waiting.wait().code, 124);
}

}  // namespace
}  // namespace drover::cli
