// Compaction through the real programs (R9, H2, H4): of removed runs one row of evidence stays, and
// their handles resolve to the same bytes forever.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <map>

#include "tests/harness.h"

namespace drover::tests {
namespace {

using boost::json::object;

class CompactionStory : public ::testing::Test {
 protected:
  // A daemon that compacts at once. Until then the default age of an hour keeps every event.
  std::unique_ptr<Started> compact(const std::string& evidence = "0s") {
    flock_.ok({"stop"});
    auto daemon = flock_.start({"serve", "--", "--retain-every", "10ms", "--retain-events", "1ms",
                                "--retain-keys", keys_, "--retain-evidence", evidence});
    daemon->wait_for_error("ready: ");
    return daemon;
  }
  std::string get(const std::string& target, bool whole = false) {
    const std::string answer =
        flock_.http("GET " + target + " HTTP/1.1\r\nHost: d\r\nConnection: close\r\n\r\n");
    return whole ? answer : answer.substr(answer.find("\r\n\r\n") + 4);
  }
  object sizes() {
    return boost::json::parse(get("/api/status?sizes=true")).at("sizes").as_object();
  }
  void wait_for_evidence(std::int64_t rows) {
    while (sizes().at("evidence").as_int64() < rows) {
    }
  }
  object events_after(const std::string& cursor) {
    return boost::json::parse(get("/api/events?limit=1000&after=" + cursor)).as_object();
  }
  std::string ended(const std::string& script, const std::vector<std::string>& options = {}) {
    const std::string id = flock_.run(script, options);
    flock_.ended(id);
    return id;
  }

  Flock flock_;
  std::string keys_ = "7d";
};

// However a run ended: its handle resolves to the same bytes before and after its deletion and its
// compaction, and its timeline is the final event.
TEST_F(CompactionStory, EveryHandleResolvesToTheSameBytes) {
  std::vector<std::string> ids{ended("echo words"),
                               ended("exit 7"),
                               ended("kill -SEGV $$"),
                               ended("sleep 1000", {"--timeout", "10ms"}),
                               ended("exit 1", {"--scope", "world/chat/7"}),
                               ended("true", {"--retry", "1"})};
  const std::string unlaunched =
      flock_.ok({"run", "-d", "--", "/" + std::string(200, 'x') + "/" + std::string(200, 'y')});
  flock_.ended(unlaunched);
  ids.push_back(unlaunched);
  const std::string canceled = flock_.run("sleep 1000");
  flock_.wait_for_state(canceled, "running");
  flock_.ok({"cancel", canceled});
  flock_.ended(canceled);
  ids.push_back(canceled);
  flock_.ok({"lane", "set", "shut", "1"});
  flock_.ok({"lane", "pause", "shut"});
  const std::string queued = flock_.run("true", {"--lane", "shut"});
  flock_.ok({"cancel", queued});
  ids.push_back(queued);
  const std::string lost = flock_.run("sleep 1000");
  flock_.wait_for_state(lost, "running");
  ::kill(flock_.keeper_of(lost), SIGKILL);
  flock_.ended(lost);
  ids.push_back(lost);
  const std::string first = flock_.run("exit 1", {"--retry", "1"});
  ids.push_back(first);
  EXPECT_NE(flock_.drover({"wait", "--final", first}).code, 0);
  ids.push_back(ended(flock_.programs + "/drover run -- true"));  // It has a child.
  for (const auto& run : flock_.json({"ps", "-a"}).at("runs").as_array()) {
    const std::string id = text_of(run.as_object(), "run_id");
    if (std::ranges::find(ids, id) == ids.end()) ids.push_back(id);
  }
  EXPECT_EQ(ids.size(), 14U);

  std::map<std::string, std::string> before;
  std::map<std::string, int> codes;
  for (const std::string& id : ids) before[id] = get("/_ref/runs/" + id);
  for (const std::string& id : ids) codes[id] = flock_.drover({"wait", id}).code;
  for (const std::string& id : ids) flock_.ok({"rm", id});
  for (const std::string& id : ids) {
    EXPECT_EQ(get("/_ref/runs/" + id), before[id]);
    EXPECT_EQ(flock_.drover({"wait", id}).code, codes[id]) << before[id];
  }
  ended("true");  // The newest event is never compacted.
  const auto daemon = compact();
  wait_for_evidence(static_cast<std::int64_t>(ids.size()));
  for (const std::string& id : ids) {
    EXPECT_EQ(get("/_ref/runs/" + id), before[id]);
    const auto timeline = boost::json::parse(get("/_ref/runs/" + id + "/timeline"));
    ASSERT_EQ(timeline.at("events").as_array().size(), 1U) << timeline;
    EXPECT_TRUE(timeline.at("events").at(0).at("data").as_object().contains("exit_code"));
    EXPECT_EQ(flock_.drover({"wait", id}).code, codes[id]) << before[id];
    const Output shown = flock_.drover({"show", "--json", id});
    EXPECT_EQ(shown.code, 5);
    object details = boost::json::parse(shown.err).at("error").at("details").as_object();
    EXPECT_TRUE(details.erase("end"));
    EXPECT_EQ(details, boost::json::parse(before[id]));
    EXPECT_EQ(flock_.drover({"rm", id}).code, 5);
    EXPECT_EQ(flock_.drover({"retry", id}).code, 5);
  }
  EXPECT_EQ(flock_.drover({"run", "--after", ids[0], "--", "true"}).code, 0);
  EXPECT_EQ(flock_.drover({"run", "--after", ids[1], "--", "true"}).code, 130);
  flock_.expect_verified();
  flock_.ok({"stop"});
}

// The database grows by a row for each removed run and by nothing else; the sizes are reported.
TEST_F(CompactionStory, OnlyTheEvidenceGrows) {
  keys_ = "1ms";
  std::int64_t events = 0;
  for (int round = 1; round <= 3; ++round) {
    std::vector<std::string> ids;
    for (int i = 0; i < 5; ++i) ids.push_back(ended("exit " + std::to_string(i % 2)));
    for (const std::string& id : ids) flock_.ok({"rm", id});
    flock_.ok({"lane", "set", "gpu", std::to_string(round)});
    const auto daemon = compact();
    wait_for_evidence(5 * round);
    while (sizes().at("keys").as_int64() != 0) {
    }
    const object now = sizes();
    EXPECT_EQ(now.at("evidence"), 5 * round);
    EXPECT_EQ(now.at("runs"), 0);
    if (round > 1) EXPECT_EQ(now.at("events").as_int64(), events + 1) << "of the lane";
    events = now.at("events").as_int64();
    const std::string report = flock_.drover({"doctor"}).out;
    for (const char* what : {"database", "runs", "events", "evidence", "keys", "output"}) {
      EXPECT_NE(report.find(std::string("size: ") + what), std::string::npos) << report;
    }
    flock_.expect_verified();
  }
  flock_.ok({"stop"});
}

// R12, R14: a cursor from before the compacted events is answered with `lagged` and the next valid
// cursor. A subscriber of one run misses nothing; one without a cursor starts with what is there.
TEST_F(CompactionStory, AnOldCursorLagged) {
  const std::string gone = ended("true");
  const std::string old_cursor = text_of(events_after("0"), "next");
  flock_.ok({"rm", gone});
  const std::string kept = ended("true");
  EXPECT_FALSE(events_after("0").contains("lagged"));
  const auto daemon = compact();
  wait_for_evidence(1);
  const object page = events_after(old_cursor);
  ASSERT_TRUE(page.contains("lagged")) << page;
  const std::string valid = text_of(page.at("lagged").as_object(), "cursor");
  EXPECT_EQ(page.at("events").as_array().size(), 4U) << "the run that is kept: " << page;
  EXPECT_FALSE(events_after(valid).contains("lagged"));
  EXPECT_EQ(events_after(valid).at("events"), page.at("events"));

  const std::string stream = get("/api/events?follow=true&after=" + old_cursor);
  EXPECT_NE(stream.find("event: lagged\ndata: {\"missed\":1,\"cursor\":\"" + valid + "\"}"),
            std::string::npos)
      << stream;
  const auto resumed = flock_.start({"events", "-f", "--after", old_cursor});
  resumed->wait_for(kept + "  run.completed");

  const std::string own = get("/api/runs/" + gone + "/events?follow=true&after=0");
  EXPECT_NE(own.find("event: run.completed"), std::string::npos) << own;
  EXPECT_EQ(own.find("lagged"), std::string::npos) << own;
  EXPECT_NE(flock_.ok({"events"}).find(kept), std::string::npos);
  EXPECT_NE(flock_.drover({"events", "--after", old_cursor}).err.find("no longer stored"),
            std::string::npos);
  flock_.ok({"stop"});
}

// With `retention.evidence`, a removed run is unknown after that time, for every reader.
TEST_F(CompactionStory, EvidenceMayHaveAnAge) {
  const std::string gone = ended("exit 7");
  flock_.ok({"rm", gone});
  const std::string kept = ended("exit 8");
  const auto daemon = compact("1ms");
  while (get("/_ref/runs/" + gone).find("\"not_found\"") == std::string::npos) {
  }
  EXPECT_EQ(sizes().at("evidence"), 0);
  for (const char* command : {"show", "wait", "logs"}) {
    const Output unknown = flock_.drover({command, gone});
    EXPECT_EQ(unknown.code, 5) << command;
    EXPECT_NE(unknown.err.find("there is no run " + gone), std::string::npos) << unknown.err;
  }
  EXPECT_EQ(flock_.drover({"show", "--evidence", gone}).code, 5);
  EXPECT_EQ(flock_.drover({"wait", kept}).code, 8);
  flock_.expect_verified();
  flock_.ok({"stop"});
}

// A repeated request after the age of its key starts a new run; before it, it is refused.
TEST_F(CompactionStory, AKeyHasAnAge) {
  const auto post = [&] {
    const std::string body = R"({"command":["/bin/true"]})";
    return flock_.http(
        "POST /api/runs HTTP/1.1\r\nHost: d\r\nConnection: close\r\n"
        "Content-Type: application/json\r\nIdempotency-Key: k\r\nContent-Length: " +
        std::to_string(body.size()) + "\r\n\r\n" + body);
  };
  flock_.daemon();
  const std::string first = post();
  ASSERT_TRUE(first.starts_with("HTTP/1.1 202")) << first;
  const std::string id =
      text_of(boost::json::parse(first.substr(first.find("\r\n\r\n") + 4)).as_object(), "run_id");
  flock_.ended(id);
  flock_.ok({"rm", id});
  ended("true");
  EXPECT_TRUE(post().starts_with("HTTP/1.1 409"));
  keys_ = "1ms";
  const auto daemon = compact();
  while (!post().starts_with("HTTP/1.1 202")) {
  }
  EXPECT_NE(get("/_ref/runs/" + id).find("\"status\":\"completed\""), std::string::npos);
  flock_.expect_verified();
  flock_.ok({"stop"});
}

}  // namespace
}  // namespace drover::tests
