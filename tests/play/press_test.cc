// Play and Stop pressed by many at once, and at the worst moment (P6, P7).
#include <atomic>
#include <boost/json/serialize.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "tests/play/game.h"

namespace drover::tests {
namespace {

class Press : public Game {
 protected:
  void SetUp() override {
    write_project(step("build", "mkdir -p build"));
    add();
  }
  static bool is_answer(const race::Answer& answer) {
    return answer.status == 202 || (answer.status == 200 && answer.flag("ignored"));
  }
};

// P6: however many press Play and Stop at the same time, there is never a second runtime (each
// holds a lock that no other may find), every answer is one of two, and it is never stuck.
TEST_F(Press, ByManyThereIsNeverASecondRuntime) {
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

// P7, P8: Stop that meets a runtime at its natural end gives one answer that holds: 202 and it was
// stopped or had ended with 0; 200 and it had ended. The record of the runtime says the same.
TEST_F(Press, StopMeetsANaturalEnd) {
  const char* rounds_asked = std::getenv("DROVER_RACE_ROUNDS");
  const int rounds = rounds_asked == nullptr ? 1'000 : std::atoi(rounds_asked);
  std::filesystem::remove(path("runtime"));
  std::filesystem::create_symlink("/bin/true", path("runtime"));
  write_project("[play]\n");
  std::filesystem::create_directories(path("build"));
  race::Client client = connect();
  int canceled = 0;
  int natural = 0;
  for (int round = 0; round < rounds; ++round) {
    const auto played = client.ask("POST", "/api/projects/game/play", "{}");
    ASSERT_EQ(played.status, 202);
    // Pressed again and again from the first moment on: some meet the preparation, some the start,
    // some the end.
    race::Answer answer;
    do {
      answer = client.ask("POST", "/api/projects/game/stop", "{}");
      ASSERT_TRUE(is_answer(answer)) << boost::json::serialize(answer.body);
    } while (answer.status == 200 &&
             text_of(answer.body.at("session").as_object(), "state") == "preparing");
    const auto end = client.ask("GET", "/api/projects/game/session?wait=60s").body;
    ASSERT_EQ(text_of(end, "state"), "stopped") << boost::json::serialize(end);
    ASSERT_EQ(text_of(end, "run_id"), text_of(answer.body.at("session").as_object(), "run_id"));
    const std::string runtime = text_of(end, "runtime_run_id");
    const auto play_record = record(text_of(end, "run_id"));
    if (!runtime.empty()) {
      const auto child = record(runtime);
      ASSERT_EQ(text_of(child, "state"), text_of(play_record, "state"));
    }
    const bool was_canceled = text_of(play_record, "state") == "canceled";
    if (answer.status == 200) ASSERT_FALSE(was_canceled);
    ++(was_canceled ? canceled : natural);
  }
  EXPECT_EQ(canceled + natural, rounds);
  EXPECT_TRUE(flock_.alive().empty());
  flock_.expect_verified();
  RecordProperty("canceled", canceled);
  std::printf("%d stopped, %d ended by themselves\n", canceled, natural);
}

}  // namespace
}  // namespace drover::tests
