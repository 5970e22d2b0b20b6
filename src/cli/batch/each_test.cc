// `drover run --each`, as the real program against a scripted daemon.
#include <gtest/gtest.h>

#include <csignal>
#include <latch>
#include <mutex>

#include "cli/client/fake_daemon.h"

namespace drover::cli {
namespace {

constexpr const char* kFullLane =
    R"({"lanes":[{"name":"gpu","limit":1,"active":1,"queued":2,"paused_at":null}]})";

// If no run finishes because the lane is full, the program says so.
TEST(EachWaits, NamesTheFullLane) {
  std::latch asked(1);
  FakeDaemon daemon([&](const ReceivedRequest& heard, Reply& reply) {
    if (heard.is("GET", "/api/lanes")) {
      reply.json(200, kFullLane);
      return asked.count_down();
    }
    if (heard.method != "POST") return reply.json(200, "{}");
    asked.wait();
    reply.json(200, R"({"run_id":"run_a","state":"completed","exit_code":0})");
  });
  const ProgramResult ended = Program({"run", "--each", "-j2", "--lane", "gpu", "--", "true"},
                                      {.home = daemon.home(), .input = "a\nb\n"})
                                  .wait();
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(
      ended.err,
      "drover: the lane gpu is full: 1 running, 2 queued; `drover ps --lane gpu` lists them\n");
}

// Ctrl-C cancels queued runs before running ones: otherwise a queued one would start.
TEST(EachCancels, QueuedRunsFirst) {
  std::mutex mutex;
  std::vector<std::string> canceled;
  std::latch both(2);
  FakeDaemon daemon([&](const ReceivedRequest& heard, Reply& reply) {
    const std::string run = heard.body.contains("\"b\"") ? "run_b" : "run_a";
    if (heard.target.contains("/cancel")) {
      {
        const std::lock_guard lock(mutex);
        canceled.push_back(heard.target.substr(10, 5));
      }
      reply.json(202, R"({"outcome":"cancel_requested"})");
      return both.count_down();
    }
    if (heard.is("POST", "/api/runs?")) {
      both.wait();
      return reply.json(200, R"({"run_id":")" + run + R"(","state":"canceled"})");
    }
    const std::string state = run == "run_b" ? "queued" : "running";
    reply.json(200, R"({"run_id":")" + run + R"(","state":")" + state + R"("})");
  });
  Program program({"run", "--each", "-j2", "--", "sleep"},
                  {.home = daemon.home(), .input = "a\nb\n"});
  (void)daemon.await("POST", "/api/runs?", 2);
  program.signal(SIGINT);
  EXPECT_EQ(program.wait().code, 130);
  EXPECT_EQ(canceled, (std::vector<std::string>{"run_b", "run_a"}));
}

// If the daemon refuses every request, no run is reported as active.
TEST(EachRefused, LeavesNoRunActive) {
  std::latch both(2);
  std::latch over(1);
  FakeDaemon daemon([&](const ReceivedRequest& heard, Reply& reply) {
    if (heard.is("POST", "/api/runs?")) {
      both.arrive_and_wait();
      if (heard.body.contains("\"b\"")) over.wait();
    }
    if (!heard.is("POST", "/api/runs")) return reply.json(200, "{}");
    reply.error(400, "invalid_request_error", "invalid");
  });
  const ProgramResult ended =
      Program({"run", "--each", "-j2", "--", "true"}, {.home = daemon.home(), .input = "a\nb\n"})
          .wait();
  over.count_down();
  EXPECT_EQ(ended.code, 2);
  EXPECT_EQ(ended.err, "drover: because\n");
}

}  // namespace
}  // namespace drover::cli
