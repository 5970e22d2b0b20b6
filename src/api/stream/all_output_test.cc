#include "api/stream/all_output.h"

#include "api/door_fixture.h"

namespace drover::api {
namespace {

class AllOutputTest : public Door {
 protected:
  Client follow(const std::string& query = "") {
    Client subscriber = client();
    subscriber.ask("GET", "/api/events?follow=true&output=true" + query, {}, {}, "1.0");
    EXPECT_NE(subscriber.read_until("retry: 1000"), "");
    return subscriber;
  }
};

// R12: pieces of all runs, each with its run, and each before the run's end. Nothing is watched any
// more when the runs have finished.
TEST_F(AllOutputTest, FollowsAllRuns) {
  Client subscriber = follow();
  const std::string a = submit(), b = submit();
  start(a);
  start(b);
  print(a, Stream::out, "from a\n");
  EXPECT_NE(subscriber.read_until("\"text\":\"from a\\n\"").find(a), std::string::npos);
  print(b, Stream::err, "from b\n");
  EXPECT_NE(subscriber.read_until("\"text\":\"from b\\n\"").find(b), std::string::npos);
  EXPECT_EQ(on_loop([&] { return output_watch_->directories(); }), 2U);
  print(a, Stream::out, "the last\n");
  finish(a);
  finish(b);
  const std::string rest = subscriber.read_until("event: run.completed");
  EXPECT_LT(rest.find("the last"), rest.find("event: run.completed"));
  eventually([&] { return output_watch_->directories() == 0; });
}

// R14: one stream follows a bounded number of runs; of the others it says so, and sends their
// output when they finish.
TEST_F(AllOutputTest, SaysWhichRunsItDoesNotFollow) {
  Client subscriber = follow();
  std::vector<std::string> runs;
  for (size_t i = 0; i < limits::kOutputRunsMax + 2; ++i) {
    runs.push_back(submit());
    start(runs.back());
  }
  const std::string seen = subscriber.read_until("event: output_deferred") +
                           subscriber.read_until(runs.back() + "\"],\"followed\":64}");
  EXPECT_EQ(on_loop([&] { return output_watch_->directories(); }), limits::kOutputRunsMax);
  print(runs.back(), Stream::out, "late\n");
  finish(runs.back());
  const std::string rest = subscriber.read_until("event: run.completed");
  EXPECT_LT(rest.find("\"text\":\"late\\n\""), rest.find("event: run.completed"));
  // A new stream says it at once.
  Client late = follow();
  EXPECT_NE(late.read_until("event: output_deferred"), "");
}

// R12: the cursor has the offset in each run.
TEST_F(AllOutputTest, KeepsAPlaceInEachRun) {
  Client subscriber = follow();
  const std::string id = submit();
  start(id);
  print(id, Stream::out, "one\n");
  EXPECT_NE(subscriber.read_until("," + id + ":4\n"), "");
  print(id, Stream::out, "two\n");
  subscriber.hang_up();
  Client again = follow("&after=3," + id + ":4");
  const std::string rest = again.read_until("two");
  EXPECT_EQ(rest.find("one"), std::string::npos);
}

}  // namespace
}  // namespace drover::api
