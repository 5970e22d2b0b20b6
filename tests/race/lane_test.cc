// A lane's limit is lowered while one of its slots is assigned (R16).
#include <atomic>

#include "tests/race/race.h"

namespace drover::race {
namespace {

class Lane : public Race {
 protected:
  static int set_limit(Client& client, const std::string& lane, int limit) {
    return client.ask("PUT", "/api/lanes/" + lane, "{\"limit\":" + std::to_string(limit) + "}")
        .status;
  }
  static std::string state_of(Client& client, const std::string& id) {
    return client.ask("GET", "/api/runs/" + id).text("state");
  }
};

// A slot becomes free while it is removed: the queued run gets it before that, or stays queued as
// long as there is none.
TEST_F(Lane, IsNarrowedAsItIsClaimed) {
  std::atomic<int> waited = 0;
  each_round(
      [&](int round, std::mt19937& random) {
        Client client = connect();
        const std::string lane = "l" + std::to_string(round);
        const std::string in_lane = R"(,"lane":")" + lane + "\"";
        EXPECT_EQ(set_limit(client, lane, 2), 200);
        const int us = between(random, 0, 4'000);
        const std::string stays = submit(client, "brief", 60'000'000, in_lane).text("run_id");
        const std::string leaves = submit(client, "brief", us, in_lane).text("run_id");
        const std::string waits = submit(client, "brief", 0, in_lane).text("run_id");
        pause_us(between(random, 0, us + 3'000));
        EXPECT_EQ(set_limit(client, lane, 1), 200);
        const bool is_waiting = state_of(client, waits) == "queued";
        EXPECT_EQ(wait(client, leaves).number("exit_code"), 7);
        EXPECT_EQ(wait(client, submit(client, "brief", 0).text("run_id")).number("exit_code"), 7);
        if (is_waiting) EXPECT_EQ(state_of(client, waits), "queued");
        waited += is_waiting ? 1 : 0;
        EXPECT_EQ(client.ask("POST", "/api/runs/" + stays + "/cancel", "{}").status, 202);
        EXPECT_EQ(wait(client, waits).number("exit_code"), 7);
        wait(client, stays);
      },
      4);
  EXPECT_GT(waited, 0);
  expect_settled();
}

}  // namespace
}  // namespace drover::race
