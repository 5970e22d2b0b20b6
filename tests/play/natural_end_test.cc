// Stop races with the natural end of a runtime (P7, P8), thousands of times, in several projects at
// once.
#include <sys/socket.h>

#include <atomic>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

#include "tests/play/game.h"

namespace drover::tests {
namespace {

// The events of one project: the states of its plays, in order.
class News {
 public:
  News(const std::string& socket, const std::string& project) : client_(socket) {
    client_.send("GET /api/events?follow=true&scope=project/" + project +
                 " HTTP/1.1\r\nHost: d\r\n\r\n");
    EXPECT_TRUE(read_until("\r\n\r\n")) << "no stream";
  }
  // The next state in the events. Empty: the stream was silent too long, which only a bug causes.
  std::string next_state() {
    if (!read_until("event: play.changed\n") || !read_until("data: ")) return "";
    if (unread_.find('\n', at_) == std::string::npos && !wait_for("\n")) return "";
    const auto event = boost::json::parse(unread_.substr(at_, unread_.find('\n', at_) - at_));
    unread_.erase(0, at_);
    at_ = 0;
    return text_of(event.at("data").as_object(), "state");
  }

 private:
  bool wait_for(std::string_view text) {
    char buffer[16 * 1024];
    while (unread_.find(text, at_) == std::string::npos) {
      const ssize_t n = ::recv(client_.fd(), buffer, sizeof buffer, 0);
      if (n <= 0) return false;
      unread_.append(buffer, static_cast<size_t>(n));
    }
    return true;
  }
  bool read_until(std::string_view text) {
    if (!wait_for(text)) return false;
    at_ = unread_.find(text, at_) + text.size();
    return true;
  }

  race::Client client_;
  std::string unread_;
  size_t at_ = 0;
};

class NaturalEnd : public Game {
 protected:
  // A project with only a runtime, which exits at once with 0.
  void add_project(const std::string& id) const {
    const std::string root = flock_.file(id);
    std::filesystem::create_directories(root + "/.drover");
    std::filesystem::create_directories(root + "/build");
    std::ofstream(root + "/drover.toml") << "[project]\nid = \"" << id << "\"\n[play]\n";
    std::ofstream(root + "/.drover/setup.json") << R"({"runtimePath":"/bin/true"})";
    const boost::json::object body{{"root", root}};
    EXPECT_EQ(connect().ask("POST", "/api/projects", boost::json::serialize(body)).status, 200);
  }

  // Plays and stops one project repeatedly. Ends at the first round that fails.
  void rounds(const std::string& id, int count, unsigned seed) {
    race::Client client = connect();
    News news(flock_.home().socket(), id);
    std::mt19937 random(seed);
    for (int round = 0; round < count && !HasFailure(); ++round) {
      SCOPED_TRACE(id + ", round " + std::to_string(round));
      play_once(client, news, "/api/projects/" + id, static_cast<int>(random() % 10) - 5);
    }
  }

  // Sends Stop after `questions` requests from the time when the runtime is connecting. With the
  // smallest value, sends Stop repeatedly from the start until it no longer meets preparation.
  void play_once(race::Client& client, News& news, const std::string& project, int questions) {
    ASSERT_EQ(client.ask("POST", project + "/play", "{}").status, 202);
    race::HttpAnswer answer;
    const auto press = [&] { answer = client.ask("POST", project + "/stop", "{}"); };
    const auto meets_preparation = [&] {
      return answer.flag("ignored") &&
             text_of(answer.body.at("session").as_object(), "state") == "preparing";
    };
    if (questions == -5) {
      constexpr int kPatience = 50'000;  // Reached only because of a bug.
      press();
      for (int i = 0; i < kPatience && meets_preparation(); ++i) press();
      ASSERT_FALSE(meets_preparation()) << boost::json::serialize(answer.body);
    }
    ASSERT_EQ(news.next_state(), "preparing");
    ASSERT_EQ(news.next_state(), "connecting");
    for (int i = 0; i < questions; ++i) (void)client.ask("GET", project + "/session");
    if (answer.status == 0) press();
    const bool taken = answer.status == 202;
    ASSERT_TRUE(taken || (answer.status == 200 && answer.flag("ignored")))
        << boost::json::serialize(answer.body);
    const auto end = client.ask("GET", project + "/session?wait=20s").body;
    ASSERT_EQ(text_of(end, "state"), "stopped") << boost::json::serialize(end);
    ASSERT_EQ(text_of(end, "run_id"), text_of(answer.body.at("session").as_object(), "run_id"));
    // Each state is sent once, in order, and no others.
    std::string told = news.next_state();
    if (told == "running") told = news.next_state();
    ASSERT_EQ(told, "stopped");
    // The play, its runtime and the answer to Stop agree.
    const auto play = client.ask("GET", "/api/runs/" + text_of(end, "run_id")).body;
    const bool was_stopped = text_of(play, "state") == "canceled";
    ASSERT_TRUE(was_stopped || text_of(play, "state") == "completed") << text_of(play, "state");
    ASSERT_EQ(text_of(end, "message"), was_stopped ? "stopped" : "the runtime finished by itself");
    ASSERT_EQ(play.at("cancel_requested").as_bool(), taken) << boost::json::serialize(play);
    ASSERT_TRUE(taken || !was_stopped);
    const std::string runtime = text_of(end, "runtime_run_id");
    ASSERT_TRUE(was_stopped || !runtime.empty());
    if (!runtime.empty()) {
      const auto child = client.ask("GET", "/api/runs/" + runtime).body;
      ASSERT_EQ(text_of(child, "state"), text_of(play, "state"));
      ASSERT_EQ(child.at("exit_code"), play.at("exit_code"));
    }
    ++(was_stopped ? stopped_ : taken ? too_late_ : over_);
  }

  std::atomic<int> stopped_ = 0, too_late_ = 0, over_ = 0;
};

// P7, P8: a Stop that races with the runtime's natural end gets one correct answer: 202, and the
// runtime was stopped or exited with 0; or 200, and it had finished. Session, record, runtime and
// events agree.
TEST_F(NaturalEnd, RacesWithStop) {
  const char* asked = std::getenv("DROVER_RACE_ROUNDS");
  const int rounds_wanted = asked == nullptr ? 3'200 : std::atoi(asked);
  constexpr int kProjects = 8;
  const int each = (rounds_wanted + kProjects - 1) / kProjects;
  std::vector<std::thread> players;
  for (int i = 0; i < kProjects; ++i) {
    const std::string id = "game-" + std::to_string(i);
    add_project(id);
    players.emplace_back([this, id, each, i] { rounds(id, each, static_cast<unsigned>(i)); });
  }
  for (std::thread& player : players) player.join();
  EXPECT_EQ(stopped_ + too_late_ + over_, each * kProjects);
  if (each >= 100) {  // Enough rounds to meet every case.
    EXPECT_GT(stopped_, 0);
    EXPECT_GT(too_late_ + over_, 0);
  }
  EXPECT_TRUE(flock_.alive().empty());
  flock_.expect_verified();
  std::printf("%d stopped, %d asked to stop at their end, %d had ended\n", stopped_.load(),
              too_late_.load(), over_.load());
}

}  // namespace
}  // namespace drover::tests
