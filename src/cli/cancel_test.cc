// `cancel`, `rm` and `signal`, with several runs and with unusual arguments: the real program
// against a scripted daemon.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <mutex>

#include "cli/client/fake_daemon.h"
#include "cli/fields.h"

namespace drover::cli {
namespace {

// Newest first: run_b and run_c are queued, run_a and run_d are started, run_step is part of a
// play.
constexpr const char* kActive = R"({"runs":[
    {"run_id":"run_d","state":"running"},{"run_id":"run_c","state":"queued"},
    {"run_id":"run_step","state":"running"},{"run_id":"run_b","state":"queued"},
    {"run_id":"run_a","state":"starting"}],"next_cursor":null})";

std::string run_in(const std::string& target) {
  const std::string rest = target.substr(target.find("run_"));
  return rest.substr(0, rest.find_first_of("/?"));
}

// R6: --all cancels the queued runs first, because a running one that finishes would let a queued
// one start. It skips a run that is part of a play and reports it. That is an error only if the run
// was named.
TEST(CancelAll, CancelsQueuedRunsFirstAndSkipsPlays) {
  std::mutex mutex;
  std::vector<std::string> asked;
  FakeDaemon daemon([&](const ReceivedRequest& heard, Reply& reply) {
    if (heard.is("GET", "/api/runs?")) return reply.json(200, kActive);
    const std::string run = run_in(heard.target);
    if (heard.method != "POST") {
      return reply.json(200, R"({"run_id":")" + run + R"(","state":"canceled"})");
    }
    {
      const std::lock_guard lock(mutex);
      asked.push_back(run);
    }
    if (run == "run_step") return reply.error(409, "conflict_error", "not_cancellable");
    reply.json(202, R"({"run_id":")" + run + R"(","outcome":"cancel_requested"})");
  });
  const ProgramResult ended = drover_says({"cancel", "--all", "--yes"}, daemon.home());
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(ended.err, "");
  EXPECT_EQ(ended.out,
            "run_c canceled\nrun_b canceled\nrun_d canceled\n"
            "run_step is part of another run and cannot be canceled by itself\nrun_a canceled\n");
  EXPECT_EQ(asked, (std::vector<std::string>{"run_c", "run_b", "run_d", "run_step", "run_a"}));
  const ProgramResult json = drover_says({"cancel", "--all", "--yes", "--json"}, daemon.home());
  EXPECT_NE(json.out.find(R"({"run_id":"run_step","outcome":"not_cancellable"})"),
            std::string::npos)
      << json.out;
  EXPECT_EQ(drover_says({"cancel", "run_step"}, daemon.home()).code, 6);
}

// R6: several named runs are canceled in the same order, the queued ones first.
TEST(CancelSeveral, CancelsQueuedRunsFirst) {
  std::mutex mutex;
  std::vector<std::string> asked;
  FakeDaemon daemon([&](const ReceivedRequest& heard, Reply& reply) {
    const std::string run = run_in(heard.target);
    const std::lock_guard lock(mutex);
    if (heard.method == "POST") {
      asked.push_back(run);
      return reply.json(202, R"({"run_id":")" + run + R"(","outcome":"cancel_requested"})");
    }
    const bool canceled = std::ranges::find(asked, run) != asked.end();
    const std::string state = canceled ? "canceled" : run == "run_a" ? "running" : "queued";
    reply.json(200, R"({"run_id":")" + run + R"(","state":")" + state + R"("})");
  });
  EXPECT_EQ(drover_says({"cancel", "run_a", "run_b", "run_c"}, daemon.home()).code, 0);
  EXPECT_EQ(asked, (std::vector<std::string>{"run_b", "run_c", "run_a"}));
}

// The outcomes of a scope are sentences; with --json they are the daemon's answer.
TEST(CancelScope, SaysTheOutcomes) {
  FakeDaemon daemon([](const ReceivedRequest&, Reply& reply) {
    reply.json(200, R"({"scope":"ci","outcomes":{"already_finished":1,"canceled":1,)"
                    R"("cancel_requested":2,"not_cancellable":1,"failed":1}})");
  });
  EXPECT_EQ(drover_says({"cancel", "--scope", "ci"}, daemon.home()).out,
            "1 run had already finished\n1 run canceled\n2 runs are being canceled\n"
            "1 run is part of another run and cannot be canceled alone\n"
            "1 run could not be canceled (failed)\n");
  EXPECT_TRUE(drover_says({"cancel", "--scope", "ci", "--json"}, daemon.home())
                  .out.contains(R"("cancel_requested":2)"));
}

// If the daemon goes away halfway, the program waits for it once and not once per run, and still
// reports the runs that were canceled before.
TEST(CancelAll, StopsWhenTheDaemonGoesAway) {
  FakeDaemon daemon([&](const ReceivedRequest& heard, Reply& reply) {
    if (heard.is("GET", "/api/runs?")) return reply.json(200, kActive);
    if (run_in(heard.target) != "run_c") return reply.cut();
    reply.json(202, R"({"run_id":"run_c","outcome":"cancel_requested"})");
  });
  const ProgramResult ended = drover_says({"cancel", "--all", "--yes"}, daemon.home());
  EXPECT_EQ(ended.code, 125);
  EXPECT_EQ(ended.out, "run_c is being canceled\n");
  EXPECT_EQ(std::ranges::count(ended.err, '\n'), 1) << ended.err;
  EXPECT_GE(daemon.count("POST", "/api/runs/run_b"), 1U);
  EXPECT_EQ(daemon.count("POST", "/api/runs/run_d"), 0U);
}

// A number is accepted only if it is a valid signal number. The error message quotes any other
// number as it was typed.
TEST(Signal, RefusesInvalidNumbers) {
  FakeDaemon daemon([](const ReceivedRequest&, Reply& reply) { reply.json(200, "{}"); });
  size_t asked = 0;
  for (const auto& [typed, sent] :
       std::vector<std::pair<std::string, std::string>>{{"15", "TERM"},
                                                        {"sigterm", "TERM"},
                                                        {"4294967311", "4294967311"},
                                                        {"0", "0"},
                                                        {"65", "65"}}) {
    EXPECT_EQ(drover_says({"signal", "run_a", typed}, daemon.home()).code, 0);
    EXPECT_EQ(daemon.await("POST", "/api/runs/run_a/signal", ++asked).body,
              R"({"signal":")" + sent + R"("})");
  }
}

// R6: `cancel` waits by the full id until the run has finished, and prints the receipt.
TEST(Cancel, WaitsAndShowsTheReceipt) {
  FakeDaemon daemon([](const ReceivedRequest& heard, Reply& reply) {
    if (heard.method == "POST") {
      return reply.json(202, R"({"run_id":"run_full","outcome":"cancel_requested"})");
    }
    EXPECT_TRUE(heard.target.starts_with("/api/runs/run_full?wait=")) << heard.target;
    reply.json(200, R"({"run_id":"run_full","state":"canceled","receipt":{"signalled":2}})");
  });
  const ProgramResult json = drover_says({"cancel", "--json", "@last"}, daemon.home());
  EXPECT_EQ(json.code, 0);
  const boost::json::object said = parsed(json.out);
  EXPECT_EQ(text_in(said, "outcome"), "cancel_requested");
  EXPECT_EQ(number_in(object_in(said, "receipt"), "signalled"), 2);
  EXPECT_EQ(drover_says({"cancel", "@last"}, daemon.home()).out,
            "run_full canceled, 2 processes stopped\n");
}

// R8: `rm` of an active run is a conflict that suggests --force; --force cancels, waits and
// deletes.
TEST(Rm, ForceCancelsFirst) {
  FakeDaemon daemon([](const ReceivedRequest& heard, Reply& reply) {
    static std::atomic<bool> canceled = false;
    if (heard.method == "POST") {
      canceled = true;
      reply.json(202, R"({"run_id":"run_a","outcome":"cancel_requested"})");
    } else if (heard.method == "GET") {
      reply.json(200, R"({"run_id":"run_a","state":"canceled"})");
    } else if (!canceled) {
      reply.error(409, "conflict_error", "active_process_conflict");
    } else {
      reply.json(200, R"({"run_id":"run_a","outcome":"deleted"})");
    }
  });
  const ProgramResult refused = drover_says({"rm", "run_a"}, daemon.home());
  EXPECT_EQ(refused.code, 6);
  EXPECT_NE(refused.err.find("rm --force"), std::string::npos) << refused.err;
  EXPECT_EQ(drover_says({"rm", "--force", "run_a"}, daemon.home()).out, "run_a removed\n");
}

// Signals are accepted with and without SIG, in any case, and as numbers.
TEST(Signal, AcceptsNamesAndNumbers) {
  FakeDaemon daemon(always(200, "{}"));
  for (const char* name : {"usr1", "SIGUSR1", "10"}) {
    drover_says({"signal", "run_a", name}, daemon.home());
  }
  for (size_t i = 1; i <= 3; ++i) {
    EXPECT_EQ(daemon.await("POST", "/api/runs/run_a/signal", i).body, R"({"signal":"USR1"})");
  }
}

}  // namespace
}  // namespace drover::cli
