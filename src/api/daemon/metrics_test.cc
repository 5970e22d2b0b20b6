#include "api/daemon/metrics.h"

#include "api/daemon/exposition.h"
#include "api/door_fixture.h"

namespace drover::api {
namespace {

using Metrics = Door;

bool has_line(const std::string& text, const std::string& line) {
  return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

// S2: counters count events by kind and state, and no label names a run.
TEST_F(Metrics, CountEvents) {
  const std::string before = ask("GET", "/metrics").body;
  EXPECT_EQ(before.find("drover_runs_total{"), std::string::npos);  // Nothing has happened yet.
  const std::string good = submit();
  start(good);
  finish(good);
  const std::string bad = submit();
  start(bad);
  finish(bad, 1);
  submit();
  const HttpAnswer answer = ask("GET", "/metrics");
  EXPECT_EQ(answer.status, 200U);
  EXPECT_EQ(answer.headers.at("content-type"), "text/plain; version=0.0.4; charset=utf-8");
  for (const char* line :
       {R"(drover_runs_submitted_total{kind="command"} 3)",
        R"(drover_runs_total{kind="command",state="completed"} 1)",
        R"(drover_runs_total{kind="command",state="failed"} 1)",
        R"(drover_runs_total{kind="command",state="abandoned"} 0)",
        R"(drover_run_duration_seconds_count{kind="command"} 2)",
        R"(drover_run_duration_seconds_bucket{kind="command",le="+Inf"} 2)",
        R"(drover_runs_active{state="running"} 3)", R"(drover_lane_slots{lane="default"} 256)",
        R"(drover_lane_slots_used{lane="default"} 3)", R"(drover_lane_paused{lane="a \"lane\""} 1)",
        R"(drover_recovered_runs_total{result="adopted"} 2)", R"(drover_orphans_reaped_total 0)",
        R"(drover_sse_clients 0)", R"(drover_http_connections 1)"}) {
    EXPECT_TRUE(has_line(answer.body, line)) << line << "\n" << answer.body;
  }
  EXPECT_EQ(answer.body.find(good), std::string::npos);
  EXPECT_EQ(answer.body.find("run_0"), std::string::npos);
  EXPECT_NE(answer.body.find("\nprocess_resident_memory_bytes "), std::string::npos);
}

// An open stream is counted while it is open, and a request by its status.
TEST_F(Metrics, CountStreamsAndAnswers) {
  Client subscriber = client();
  subscriber.ask("GET", "/api/events?follow=true");
  subscriber.read_until("retry:");
  EXPECT_TRUE(has_line(ask("GET", "/metrics").body, "drover_sse_clients 1"));
  ask("GET", "/nothing");
  EXPECT_TRUE(has_line(ask("GET", "/metrics").body, R"(drover_http_requests_total{code="404"} 1)"));
  subscriber.hang_up();
  eventually([&] { return server_->services().traffic.streams == 0; });
}

// The metrics show how far a follower of the log is behind, and whether it has stopped. Without
// followers there are no such metrics.
TEST_F(Metrics, ShowFollowersOfTheLog) {
  EXPECT_EQ(ask("GET", "/metrics").body.find("drover_follower"), std::string::npos);
  begin_follower();
  const std::string text = ask("GET", "/metrics").body;
  EXPECT_TRUE(has_line(text, R"(drover_follower_stopped{follower="stopping"} 1)")) << text;
  EXPECT_TRUE(has_line(text, R"(drover_follower_lag_events{follower="stopping"} 2)")) << text;
}

// The exact text format: help and type once, escapes in labels, cumulative buckets.
TEST(Exposition, IsPrometheusText) {
  Exposition out;
  Histogram took;
  took.add(0.0005);
  took.add(2);
  took.add(-1);  // As after a clock that was set back.
  took.add(1e9);
  out.counter("a_total", "Things.").sample(3, {{"name", "a\"b\\c\nd"}});
  out.histogram("b_seconds", "Times.").sample(took);
  const std::string text = out.take();
  EXPECT_TRUE(
      text.starts_with("# HELP a_total Things.\n# TYPE a_total counter\n"
                       "a_total{name=\"a\\\"b\\\\c\\nd\"} 3\n"
                       "# HELP b_seconds Times.\n# TYPE b_seconds histogram\n"
                       "b_seconds_bucket{le=\"0.001\"} 2\n"));
  EXPECT_TRUE(has_line(text, "b_seconds_bucket{le=\"5\"} 3"));
  EXPECT_TRUE(has_line(text, "b_seconds_bucket{le=\"43200\"} 3"));
  EXPECT_TRUE(has_line(text, "b_seconds_bucket{le=\"+Inf\"} 4"));
  EXPECT_TRUE(has_line(text, "b_seconds_count 4"));
}

}  // namespace
}  // namespace drover::api
