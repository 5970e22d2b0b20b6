// The loop only translates: while a request reads much or asks the store, all others are answered.
#include <semaphore>

#include "api/door_fixture.h"

namespace drover::api {
namespace {

class BesideTheLoop : public Door {
 protected:
  // The next job of `pool` waits for `let_go`; later ones do not.
  void hold_next(work::Pool& pool) {
    held_ = true;
    pool.before_each_job([this] {
      if (held_.exchange(false)) gate_.acquire();
    });
  }
  void let_go() { gate_.release(); }

  std::atomic<bool> held_ = false;
  std::counting_semaphore<> gate_{0};
};

// A search through an output, or a drawn screen, delays nobody.
TEST_F(BesideTheLoop, ReadsOutput) {
  const std::string id = submit();
  print(id, Stream::out, "out\n");
  print(id, Stream::err, "err\n");
  finish(id);
  hold_next(workers_);
  Client slow = client();
  slow.ask("GET", "/api/runs/" + id + "/logs?stream=stderr");
  eventually([&] { return workers_.running() == 1 && !held_; });
  EXPECT_EQ(ask("GET", "/api/runs").json().at("runs").as_array().size(), 1U);
  EXPECT_EQ(ask("GET", "/api/runs/" + submit()).status, 200U);
  EXPECT_EQ(ask("GET", "/api/runs/" + id + "/logs").body, "out\nerr\n");
  EXPECT_EQ(on_loop([&] { return workers_.running(); }), 1U);
  let_go();
  EXPECT_EQ(slow.answer().body, "err\n");
}

// A client that follows a large output of tiny writes gets it from a worker, and delays nobody. The
// bytes that a command has just printed come without a worker.
TEST_F(BesideTheLoop, ReadsFollowedOutput) {
  constexpr int kBytes = 1'000'000;
  const std::string id = submit();
  start(id);
  {
    const Fd directory(
        ::open(home_.run_directory(*RunId::parse(id)).c_str(), O_RDONLY | O_DIRECTORY));
    OutputWriter writer(directory.get(), limits::kOutputBytesMax);
    for (int i = 0; i < kBytes; ++i) writer.append(Stream::out, "~", WallMs{1'000} * i);
  }
  const std::string path = "/api/runs/" + id + "/events?follow=true&output=true";
  for (const std::string& of : {path, std::string("/api/events?follow=true&output=true&after=0"),
                                path + "&format=frames"}) {
    hold_next(workers_);
    Client follower = client();
    follower.ask("GET", of, {}, {}, "1.0");
    eventually([&] { return workers_.running() == 1 && !held_; });
    EXPECT_EQ(ask("GET", "/api/runs/" + id).status, 200U);
    EXPECT_EQ(ask("GET", "/api/runs/" + submit()).status, 200U);
    EXPECT_EQ(on_loop([&] { return workers_.running(); }), 1U) << of;
    let_go();
    if (!of.ends_with("frames")) continue;
    finish(id);
    EXPECT_EQ(std::ranges::count(follower.read_to_end(), '~'), kBytes);
  }
  std::atomic<int> jobs = 0;
  workers_.before_each_job([&] { ++jobs; });
  const std::string small = submit();
  Client subscriber = client();
  subscriber.ask("GET", "/api/runs/" + small + "/events?follow=true&output=true", {}, {}, "1.0");
  start(small);
  print(small, Stream::out, "just printed");
  EXPECT_NE(subscriber.read_until("just printed"), "");
  finish(small);
  subscriber.read_to_end();
  EXPECT_EQ(jobs, 0);
}

// A question to the store delays nobody: neither a list, nor a run and its end.
TEST_F(BesideTheLoop, AsksTheStore) {
  submit();
  for (const char* path : {"/api/runs?limit=1000", "/api/events?limit=1000",
                           "/api/status?sizes=true", "/api/lanes", "/readyz"}) {
    hold_next(reads_.pool());
    Client slow = client();
    slow.ask("GET", path);
    eventually([&] { return reads_.pool().running() == 1 && !held_; });
    EXPECT_EQ(ask("GET", "/api/runs").status, 200U);
    const std::string id = submit();
    finish(id);
    EXPECT_EQ(ask("GET", "/api/runs/" + id + "?wait=60s").json().at("state"), "completed");
    EXPECT_EQ(on_loop([&] { return reads_.pool().running(); }), 1U) << path;
    let_go();
    EXPECT_EQ(slow.answer().status, 200U) << path;
  }
}

// The path of a short run is answered from memory: it waits for no thread beside the loop.
TEST_F(BesideTheLoop, AnswersAShortRunFromMemory) {
  std::atomic<int> questions = 0;
  reads_.pool().before_each_job([&] { ++questions; });
  const std::string id = submit();
  Client subscriber = client();
  subscriber.ask("GET", "/api/runs/" + id + "/events?follow=true&output=true", {}, {}, "1.0");
  EXPECT_NE(subscriber.read_until("event: run.starting"), "");
  start(id);
  finish(id);
  EXPECT_NE(subscriber.read_to_end().find("event: run.completed"), std::string::npos);
  EXPECT_EQ(ask("GET", "/api/runs/" + id).json().at("state"), "completed");
  EXPECT_EQ(questions, 0);
}

// The work for a client that disconnects is stopped.
TEST_F(BesideTheLoop, StopsTheWorkOfADisconnectedClient) {
  const std::string id = submit();
  hold_next(workers_);
  Client held = client();
  held.ask("GET", "/api/runs/" + id + "/logs");
  eventually([&] { return workers_.running() == 1 && !held_; });
  // One caller has all workers but one; the rest of its requests wait.
  hold_next(workers_);
  Client second = client();
  second.ask("GET", "/api/runs/" + id + "/logs");
  eventually([&] { return workers_.running() == 2 && !held_; });
  hold_next(workers_);
  Client third = client();
  third.ask("GET", "/api/runs/" + id + "/logs");
  eventually([&] { return workers_.running() == 3 && !held_; });
  Client fourth = client();
  fourth.ask("GET", "/api/runs/" + id + "/logs");
  eventually([&] { return workers_.waiting() == 1; });
  fourth.hang_up();
  eventually([&] { return workers_.waiting() == 0; });
  for (int i = 0; i < 3; ++i) let_go();
  EXPECT_EQ(held.answer().status, 200U);
}

// The environment of a run, with which its entries and reports are redacted, is read by a worker.
TEST_F(BesideTheLoop, Redacts) {
  const std::string id = submit();
  start(id);
  for (const auto& [path, body] : {std::pair("/questions", R"({"question":"q?"})"),
                                   std::pair("/reports", R"({"type":"output","summary":"s"})"),
                                   std::pair("/progress", R"({"text":"half"})")}) {
    hold_next(workers_);
    Client slow = client();
    slow.ask("POST", "/api/runs/" + id + path, body);
    eventually([&] { return workers_.running() == 1 && !held_; });
    EXPECT_EQ(ask("GET", "/api/runs/" + id).status, 200U);
    let_go();
    EXPECT_LT(slow.answer().status, 300U) << path;
  }
}

// Each request measures the loop once: what another client would have waited.
TEST_F(BesideTheLoop, IsMeasuredByEachRequest) {
  const auto measured = [&] {
    on_loop([] {});  // The turn in which the answer was sent is over.
    return on_loop([&] { return server_->services().loop_delay.delays().count(); });
  };
  const auto before = measured();
  EXPECT_EQ(ask("GET", "/healthz").status, 200U);
  EXPECT_EQ(measured(), before + 1);
  EXPECT_EQ(ask("GET", "/healthz").status, 200U);
  EXPECT_EQ(measured(), before + 2);
}

// How long the loop keeps clients waiting is measured; beyond the bound, `status` says so.
TEST_F(BesideTheLoop, MeasuresTheLoop) {
  on_loop([&] { server_->services().loop_delay.note(std::chrono::seconds(3)); });
  const auto slow = ask("GET", "/api/status").json().at("slow_loop");
  EXPECT_GE(slow.at("times").as_int64(), 1);
  EXPECT_EQ(slow.at("longest_ms"), 3'000);
  const std::string metrics = ask("GET", "/metrics").body;
  EXPECT_NE(metrics.find("drover_loop_delays_beyond_bound_total"), std::string::npos);
  EXPECT_NE(metrics.find("drover_loop_delay_seconds_count"), std::string::npos);
  EXPECT_NE(metrics.find("drover_work_running{pool=\"work\"} 0\n"), std::string::npos);
}

}  // namespace
}  // namespace drover::api
