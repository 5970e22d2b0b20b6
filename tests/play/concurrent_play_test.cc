// Play and Stop from many clients at once, and at the worst time (P6, P7).
#include <atomic>
#include <thread>

#include "tests/play/game.h"

namespace drover::tests {
namespace {

class ConcurrentPlay : public Game {
 protected:
  void SetUp() override {
    write_project(step("build", "mkdir -p build"));
    add();
  }
  static bool is_answer(const race::HttpAnswer& answer) {
    return answer.status == 202 || (answer.status == 200 && answer.flag("ignored"));
  }
};

// P6: however many clients send Play and Stop at the same time, there is never a second runtime
// (each takes a lock that must be free), every answer is one of two, and the project never gets
// stuck.
TEST_F(ConcurrentPlay, ByManyClientsNeverStartsASecondRuntime) {
  write_runtime(
      "exec 9> lock; flock -n 9 || { echo twice >> twice; exit 1; }\n"
      "echo x >> starts; exec sleep 0.05");
  std::atomic<int> strange = 0;
  std::atomic<int> played = 0;
  std::vector<std::thread> clients;
  for (int i = 0; i < 8; ++i) {
    clients.emplace_back([&, i] {
      race::Client client = connect();
      for (int round = 0; round < 60; ++round) {
        const bool plays = (round + i) % 3 != 0;
        const auto answer =
            client.ask("POST", plays ? "/api/projects/game/play" : "/api/projects/game/stop", "{}");
        if (!is_answer(answer)) ++strange;
        if (plays && answer.status == 202) ++played;
      }
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(strange, 0);
  EXPECT_FALSE(exists("twice"));
  EXPECT_GT(played, 0);
  until_rest();
  EXPECT_TRUE(flock_.alive().empty());
  // Not stuck: it plays once more, to its end.
  ASSERT_EQ(play().status, 202);
  EXPECT_EQ(text_of(until_rest(), "state"), "stopped");
  flock_.expect_verified();
}

}  // namespace
}  // namespace drover::tests
