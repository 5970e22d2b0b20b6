// A cancel races with an exit, a spawn, a claim, and another cancel (R4, R6).
#include <boost/json/serialize.hpp>

#include "tests/race/race.h"

namespace drover::race {
namespace {

class Cancel : public Race {
 protected:
  // The answer to the cancel agrees with the record.
  void expect_true(const HttpAnswer& told, const HttpAnswer& record) {
    SCOPED_TRACE(boost::json::serialize(told.body) + boost::json::serialize(record.body));
    const std::string outcome = told.text("outcome");
    const std::string state = record.text("state");
    if (outcome == "already_finished") {
      EXPECT_EQ(told.status, 200);
      EXPECT_EQ(state, "failed");
      EXPECT_EQ(record.number("exit_code"), 7);
      EXPECT_FALSE(record.flag("cancel_requested"));
      EXPECT_EQ(signaled_at(record, "term_at"), "");
    } else if (outcome == "canceled") {  // While it was queued.
      EXPECT_EQ(told.status, 200);
      EXPECT_EQ(state, "canceled");
      EXPECT_EQ(record.text("started_at"), "");
    } else {
      EXPECT_EQ(told.status, 202);
      EXPECT_EQ(outcome, "cancel_requested");
      EXPECT_TRUE(record.flag("cancel_requested"));
      EXPECT_TRUE(state == "canceled" || state == "failed") << state;
    }
    expect_whole(record);
  }

  void expect_whole(const HttpAnswer& record) {
    if (record.text("state") == "failed") {
      EXPECT_EQ(record.number("exit_code"), 7);
    } else {
      EXPECT_EQ(record.text("reason"), "canceled_by_owner");
      EXPECT_TRUE(record.flag("cancel_requested"));
      const bool never = record.text("started_at").empty();
      EXPECT_TRUE(never || record.number("exit_code") == 7 || record.number("signal") == 15);
    }
  }

  static std::string cancel_of(const std::string& id, std::string_view grace = "1h") {
    return request_of("POST", "/api/runs/" + id + "/cancel",
                      R"({"grace":")" + std::string(grace) + R"("})");
  }
};

// A run exits while it is canceled: it is canceled or has its own exit code, and the answer agrees
// if it names an outcome.
TEST_F(Cancel, AndExit) {
  each_round([&](int round, std::mt19937& random) {
    Client client = connect();
    // Most exit before a keeper listens; some while it does.
    const int us = round % 4 == 0 ? between(random, 18'000, 26'000) : between(random, 0, 3'000);
    const std::string id = submit(client, "brief", us).text("run_id");
    pause_us(between(random, 0, us + 2'000));
    client.send(cancel_of(id));
    const HttpAnswer told = client.take();
    expect_true(told, wait(client, id));
  });
  expect_settled();
}

// A run is canceled while it is spawned: it always finishes, and none of its processes remain.
TEST_F(Cancel, AndSpawn) {
  each_round([&](int, std::mt19937& random) {
    Client client = connect();
    const std::string id = submit(client, "brief", 60'000'000).text("run_id");
    pause_us(between(random, 0, 3'000));
    client.send(cancel_of(id));
    const HttpAnswer told = client.take();
    const HttpAnswer record = wait(client, id);
    EXPECT_EQ(record.text("state"), "canceled") << boost::json::serialize(record.body);
    expect_true(told, record);
  });
  expect_settled();
}

// A queued run is canceled while a slot becomes free: it never starts, or it is canceled like any
// other.
TEST_F(Cancel, AndClaim) {
  each_round([&](int round, std::mt19937& random) {
    Client client = connect();
    const std::string lane = R"(,"lane":"l)" + std::to_string(round % 100) + "." +
                             std::to_string(between(random, 0, 1'000'000)) + "\"";
    const int us = between(random, 0, 4'000);
    const std::string first = submit(client, "brief", us, lane).text("run_id");
    const std::string second = submit(client, "brief", us, lane).text("run_id");
    pause_us(between(random, 0, us + 3'000));
    client.send(cancel_of(second));
    const HttpAnswer told = client.take();
    expect_true(told, wait(client, second));
    EXPECT_EQ(wait(client, first).number("exit_code"), 7);
  });
  expect_settled();
}

// Several clients cancel at once, one of them without grace: the run is canceled once and finishes
// once, and all answers agree.
TEST_F(Cancel, AndCancel) {
  each_round(
      [&](int, std::mt19937& random) {
        std::vector<Client> clients;
        for (int i = 0; i < 4; ++i) clients.push_back(connect());
        const int us = between(random, 0, 1) == 0 ? 60'000'000 : between(random, 0, 4'000);
        const std::string id = submit(clients[0], "brief", us).text("run_id");
        pause_us(between(random, 0, 5'000));
        for (size_t i = 0; i < clients.size(); ++i) {
          clients[i].send(cancel_of(id, i == 2 ? "0ms" : "1h"));
        }
        int finished = 0;
        for (Client& client : clients) {
          const HttpAnswer told = client.take();
          EXPECT_TRUE(told.status == 202 || told.status == 200) << told.head;
          finished += told.text("outcome") == "already_finished" ? 1 : 0;
        }
        const HttpAnswer record = wait(clients[0], id);
        SCOPED_TRACE(boost::json::serialize(record.body));
        // All were too late, or the first one's request is on record.
        EXPECT_EQ(record.flag("cancel_requested"), finished < 4);
        if (finished == 4) EXPECT_EQ(record.number("exit_code"), 7);
        if (us > 4'000) EXPECT_EQ(record.text("state"), "canceled");
      },
      2);
  expect_settled();
}

// A run exits on TERM just when its grace is over: it was killed if the receipt says so, and the
// reason agrees (R7).
TEST_F(Cancel, AndKill) {
  each_round(
      [&](int, std::mt19937& random) {
        Client client = connect();
        const int ms = between(random, 1, 8);
        const std::string id =
            submit(client, "late", ms * 1'000 + between(random, -900, 500)).text("run_id");
        flock_.wait_for_state_event(id, "run.started");
        pause_us(between(random, 0, 20'000));
        client.send(cancel_of(id, std::to_string(ms) + "ms"));
        client.take();
        const HttpAnswer record = wait(client, id);
        SCOPED_TRACE(boost::json::serialize(record.body));
        const bool killed = !signaled_at(record, "kill_at").empty();
        EXPECT_EQ(record.text("state"), "canceled");
        EXPECT_EQ(record.text("reason"), killed ? "cancel_forced" : "canceled_by_owner");
        EXPECT_NE(signaled_at(record, "term_at"), "");
        if (record.number("signal") == 9) EXPECT_TRUE(killed);
        EXPECT_TRUE(record.number("exit_code") == 7 || record.number("signal") > 0);
      },
      2);
  expect_settled();
}

}  // namespace
}  // namespace drover::race
