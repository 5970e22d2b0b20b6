// The end of a run races with a deletion, a timeout, a signal, input, and clients that wait for it.
#include <boost/json/serialize.hpp>

#include "tests/race/race.h"

namespace drover::race {
namespace {

class End : public Race {
 protected:
  static size_t count(const std::string& text, std::string_view part) {
    size_t n = 0;
    for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++n;
    return n;
  }
};

// Two clients delete a run while it finishes: both are refused while it is active, afterwards one
// succeeds, and the evidence stays (R8, H4).
TEST_F(End, AndDelete) {
  each_round([&](int, std::mt19937& random) {
    Client one = connect(), other = connect();
    const int us = between(random, 0, 4'000);
    const std::string id = submit(one, "brief", us).text("run_id");
    pause_us(between(random, 0, us + 6'000));
    int deleted = 0;
    for (int tries = 0; deleted == 0; ++tries) {
      one.send(request_of("DELETE", "/api/runs/" + id));
      other.send(request_of("DELETE", "/api/runs/" + id));
      for (Client* client : {&one, &other}) {
        const HttpAnswer told = client->take();
        SCOPED_TRACE(told.head + boost::json::serialize(told.body));
        deleted += told.status == 200 ? 1 : 0;
        if (told.status == 409) EXPECT_EQ(told.text("outcome"), "active_process_conflict");
        if (told.status == 404) EXPECT_EQ(deleted, 1) << "neither client deleted it";
        EXPECT_TRUE(told.status == 200 || told.status == 404 || told.status == 409);
      }
      EXPECT_LE(deleted, 1);
      if (HasFailure() || deleted == 1) break;
      ASSERT_EQ(tries, 0) << "it has finished, and cannot be deleted";
      EXPECT_EQ(wait(one, id).number("exit_code"), 7);
    }
    EXPECT_EQ(one.ask("GET", "/api/runs/" + id).status, 404);
  });
  expect_settled();
}

// A repeated request with the same key waits for a run that finishes at that time: it gets the end
// at once, even if one commit found the run and finished it (R12).
TEST_F(End, AndTheSameRequestThatWaits) {
  each_round([&](int round, std::mt19937& random) {
    Client one = connect(), other = connect();
    const int us = between(random, 0, 3'000);
    const std::string body = submission("brief", us);
    const std::string key = "Idempotency-Key: again-" + std::to_string(round) + "\r\n";
    const std::string id = one.ask("POST", "/api/runs", body, key).text("run_id");
    remember(id);
    pause_us(between(random, 0, us + 3'000));
    const HttpAnswer told = other.ask("POST", "/api/runs?wait=5m", body, key);
    EXPECT_EQ(told.text("run_id"), id);
    EXPECT_EQ(told.number("exit_code"), 7);
  });
  expect_settled();
}

// A run exits just when its time is over: it timed out and was sent TERM, or it has its exit code
// and was not signaled (R10).
TEST_F(End, AndTimeout) {
  each_round([&](int, std::mt19937& random) {
    Client client = connect();
    const int ms = between(random, 1, 25);
    const int us = std::max(0, ms * 1'000 + between(random, -3'000, 1'000));
    const std::string id =
        submit(client, "brief", us, R"(,"grace":"1h","timeout":")" + std::to_string(ms) + "ms\"")
            .text("run_id");
    const HttpAnswer record = wait(client, id);
    SCOPED_TRACE(boost::json::serialize(record.body));
    if (record.text("state") == "timed_out") {
      EXPECT_EQ(record.text("reason"), "timeout");
      EXPECT_NE(signaled_at(record, "term_at"), "");
      EXPECT_TRUE(record.number("signal") == 15 || record.number("exit_code") == 7);
    } else {
      EXPECT_EQ(record.text("state"), "failed");
      EXPECT_EQ(record.number("exit_code"), 7);
      EXPECT_EQ(signaled_at(record, "term_at"), "");
    }
  });
  expect_settled();
}

// A run exits while it is signaled: if the answer says that it has finished, the signal did not
// reach it.
TEST_F(End, AndSignal) {
  each_round([&](int, std::mt19937& random) {
    Client client = connect();
    // Around the time when a keeper begins to listen.
    const int us = between(random, 15'000, 30'000);
    const std::string id = submit(client, "brief", us).text("run_id");
    pause_us(between(random, 0, us + 3'000));
    const HttpAnswer told =
        client.ask("POST", "/api/runs/" + id + "/signal", R"({"signal":"USR1"})");
    const HttpAnswer record = wait(client, id);
    SCOPED_TRACE(boost::json::serialize(told.body) + boost::json::serialize(record.body));
    EXPECT_TRUE(told.status == 200 || told.status == 409);
    EXPECT_EQ(record.text("state"), "failed");
    if (told.status == 409 || record.number("signal") == -1) {
      EXPECT_EQ(record.number("exit_code"), 7);
    } else {
      EXPECT_EQ(record.number("signal"), 10);
    }
  });
  expect_settled();
}

// A run exits while it is sent input: refused input never arrived, and input that arrived was
// accepted (R5).
TEST_F(End, AndInput) {
  each_round([&](int, std::mt19937& random) {
    Client client = connect();
    const int us = between(random, 15'000, 30'000);
    const std::string id = submit(client, "sipping", us, R"(,"stdin":"pipe")").text("run_id");
    pause_us(between(random, 0, us + 3'000));
    const std::string eof = between(random, 0, 1) == 0 ? "?eof=true" : "";
    const HttpAnswer told = client.ask("POST", "/api/runs/" + id + "/input" + eof, "0123456789",
                                       "Content-Type: text/plain\r\n");
    const HttpAnswer record = wait(client, id);
    SCOPED_TRACE(told.head + boost::json::serialize(told.body) +
                 boost::json::serialize(record.body));
    EXPECT_TRUE(told.status == 200 || told.status == 409);
    EXPECT_EQ(record.number("exit_code"), 7);
    const long arrived = record.number("stdout_bytes");
    EXPECT_TRUE(arrived == 0 || arrived == 10);
    if (told.status == 200) EXPECT_EQ(told.number("accepted"), 10);
    if (told.status == 409 && eof.empty()) EXPECT_EQ(arrived, 0);
  });
  expect_settled();
}

// Many clients wait for one end, some from before it and some from after, by waiting and by
// following: all get the same answer, each once (R12).
TEST_F(End, AndItsWaiters) {
  each_round(
      [&](int, std::mt19937& random) {
        std::vector<Client> askers, followers;
        for (int i = 0; i < 3; ++i) askers.push_back(connect()), followers.push_back(connect());
        const int us = between(random, 0, 3'000);
        const std::string id = submit(askers[0], "brief", us).text("run_id");
        for (size_t i = 0; i < 3; ++i) {
          askers[i].send(request_of("GET", "/api/runs/" + id + "?wait=60s"));
          followers[i].send(request_of(
              "GET", "/api/runs/" + id + "/events?follow=true" + (i == 0 ? "&output=true" : "")));
          pause_us(between(random, 0, 2'000));
        }
        const HttpAnswer first = askers[0].take();
        EXPECT_EQ(first.number("exit_code"), 7) << boost::json::serialize(first.body);
        for (size_t i = 1; i < 3; ++i) EXPECT_EQ(askers[i].take().body, first.body);
        for (Client& follower : followers) {
          const std::string said = follower.take_stream();
          EXPECT_EQ(count(said, "event: run.failed\n"), 1U) << said;
          EXPECT_EQ(count(said, "event: run."), 4U) << said;
          EXPECT_EQ(said.find("(cut off)"), std::string::npos) << said;
        }
      },
      2);
  expect_settled();
}

}  // namespace
}  // namespace drover::race
