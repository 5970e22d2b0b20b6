// A pause races with a claim, a cancel with a retry, an end with a new dependent (R16, R17).
#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include "tests/race/race.h"

namespace drover::race {
namespace {

class Plan : public Race {
 protected:
  // The last attempt of a chain, after it has finished.
  static HttpAnswer wait_final(Client& client, const std::string& id) {
    return client.ask("GET", "/api/runs/" + id + "?wait=60s&final=true");
  }
};

// A cancel arrives while an attempt finishes: no attempt follows the canceled one, and the answer
// names the attempt that was canceled.
TEST_F(Plan, CancelAndAnotherAttempt) {
  each_round(
      [&](int, std::mt19937& random) {
        Client client = connect();
        const std::string first = submit(client, "brief", between(random, 0, 2'000),
                                         R"(,"retry":{"max":50,"backoff":"0ms"})")
                                      .text("run_id");
        pause_us(between(random, 0, 6'000));
        const HttpAnswer told =
            client.ask("POST", "/api/runs/" + first + "/cancel", R"({"grace":"1h"})");
        SCOPED_TRACE(boost::json::serialize(told.body));
        EXPECT_TRUE(told.status == 200 || told.status == 202);
        EXPECT_NE(told.text("outcome"), "already_finished");
        const HttpAnswer last = wait_final(client, first);
        EXPECT_EQ(last.text("run_id"), told.text("run_id"));
        EXPECT_TRUE(last.flag("cancel_requested")) << boost::json::serialize(last.body);
        EXPECT_EQ(last.text("retried_by"), "");
        const auto chain = client.ask("GET", "/api/runs?limit=1000&chain=" + first);
        for (const auto& run : chain.body.at("runs").as_array()) {
          const std::string id = text_in(run.as_object(), "run_id");
          if (id != first) remember(id);
        }
      },
      4);
  expect_settled();
}

// A lane is paused while its runs are claimed: claimed runs start, and after the pause is
// acknowledged no more are claimed.
TEST_F(Plan, PauseAndClaim) {
  each_round(
      [&](int round, std::mt19937& random) {
        Client client = connect(), other = connect();
        const std::string lane = "p" + std::to_string(round);
        std::vector<std::string> ids;
        for (int i = 0; i < 4; ++i) {
          ids.push_back(
              submit(client, "brief", between(random, 0, 1'000), ",\"lane\":\"" + lane + "\"")
                  .text("run_id"));
        }
        pause_us(between(random, 0, 3'000));
        const std::string path = "/api/lanes/" + lane;
        EXPECT_EQ(other.ask("PUT", path, R"({"paused":true})").status, 200);
        const auto waiting_of = [&] {
          std::vector<std::string> waiting;
          for (const std::string& id : ids) {
            if (client.ask("GET", "/api/runs/" + id).text("state") == "queued") {
              waiting.push_back(id);
            }
          }
          return waiting;
        };
        const auto before = waiting_of();
        for (const std::string& id : ids) {
          if (std::ranges::find(before, id) == before.end()) (void)wait(client, id);
        }
        EXPECT_EQ(waiting_of(), before);
        EXPECT_EQ(other.ask("PUT", path, R"({"paused":false})").status, 200);
        for (const std::string& id : ids) EXPECT_EQ(wait(client, id).number("exit_code"), 7);
        EXPECT_EQ(other.ask("DELETE", path).status, 200);
      },
      5);
  expect_settled();
}

// A run finishes while another is submitted that depends on it: the dependent always starts.
TEST_F(Plan, EndAndDependent) {
  each_round(
      [&](int round, std::mt19937& random) {
        Client client = connect();
        const std::string first = submit(client, "brief", between(random, 0, 1'500)).text("run_id");
        pause_us(between(random, 0, 3'000));
        const bool strict = round % 2 == 0;
        const std::string more =
            std::string(strict ? ",\"after\"" : ",\"after_any\"") + ":[\"" + first + "\"]";
        const std::string second = submit(client, "brief", 0, more).text("run_id");
        const HttpAnswer record = wait(client, second);
        SCOPED_TRACE(boost::json::serialize(record.body));
        EXPECT_EQ(record.text("reason"), strict ? "dependency_failed" : "exit_nonzero");
        EXPECT_EQ(wait(client, first).text("state"), "failed");
      },
      2);
  expect_settled();
}

// A run is moved while it is claimed: it runs once, in the lane where it was claimed.
TEST_F(Plan, MoveAndClaim) {
  each_round(
      [&](int round, std::mt19937& random) {
        Client client = connect();
        const std::string lane = "m" + std::to_string(round);
        const std::string more = ",\"lane\":\"" + lane + "\"";
        const std::string first =
            submit(client, "brief", between(random, 0, 1'500), more).text("run_id");
        const std::string second = submit(client, "brief", 0, more).text("run_id");
        pause_us(between(random, 0, 3'000));
        const HttpAnswer told = client.ask("POST", "/api/runs/" + second + "/move",
                                           "{\"lane\":\"" + lane + "x\",\"priority\":3}");
        const HttpAnswer record = wait(client, second);
        SCOPED_TRACE(boost::json::serialize(told.body) + boost::json::serialize(record.body));
        EXPECT_EQ(record.number("exit_code"), 7);
        if (told.status == 200) {
          EXPECT_EQ(record.text("lane"), lane + "x");
        } else {
          EXPECT_EQ(told.status, 409);
          EXPECT_EQ(record.text("lane"), lane);
        }
        (void)wait(client, first);
      },
      3);
  expect_settled();
}

}  // namespace
}  // namespace drover::race
