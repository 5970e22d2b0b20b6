// `drover wait`, also with a daemon that is silent or gone: the real program.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <latch>

#include "cli/client/fake_daemon.h"
#include "cli/fields.h"

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

// `wait` asks again while the run is active. Of several runs, the first exit code that is not 0
// counts.
TEST(Wait, ExitsWithTheRunsCode) {
  FakeDaemon daemon([](const ReceivedRequest& heard, Reply& reply) {
    static std::atomic<int> asked = 0;
    EXPECT_NE(heard.target.find("wait="), std::string::npos);
    if (heard.target.find("run_a") != std::string::npos) {
      reply.json(200, asked++ == 0 ? R"({"run_id":"run_a","state":"running"})"
                                   : R"({"run_id":"run_a","state":"completed","exit_code":0})");
    } else if (heard.target.find("run_b") != std::string::npos) {
      reply.json(200, R"({"run_id":"run_b","state":"failed","signal":15,"reason":"exit_nonzero"})");
    } else {
      reply.json(200, R"({"run_id":"run_c","state":"failed","exit_code":4})");
    }
  });
  EXPECT_EQ(drover_says({"wait", "run_a"}, daemon.home()).code, 0);
  const ProgramResult ended =
      drover_says({"wait", "--json", "run_a", "run_b", "run_c"}, daemon.home());
  EXPECT_EQ(ended.code, 143);
  EXPECT_EQ(std::ranges::count(ended.out, '\n'), 3);  // One object a line.
}

// `wait` with an unknown id still waits for the other runs.
TEST(Wait, ContinuesAfterAnUnknownId) {
  FakeDaemon daemon([](const ReceivedRequest& heard, Reply& reply) {
    if (heard.target.find("nope") != std::string::npos) {
      return reply.error(404, "not_found_error", "not_found");
    }
    reply.json(200, R"({"run_id":"run_a","state":"completed","exit_code":0})");
  });
  const ProgramResult ended = drover_says({"wait", "--json", "nope", "run_a"}, daemon.home());
  EXPECT_EQ(ended.code, 5);
  EXPECT_NE(ended.out.find("run_a"), std::string::npos);
  EXPECT_EQ(text_in(object_in(parsed(ended.err), "error"), "code"), "not_found");
}

}  // namespace
}  // namespace drover::cli
