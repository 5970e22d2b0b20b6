// Play and Stop through the API (P6, P7): an answer must be true at the time it is given.
#include "api/play/play.h"

#include <boost/json/serialize.hpp>
#include <filesystem>
#include <fstream>

#include "api/door_fixture.h"
#include "play/phase.h"

namespace drover::api {
namespace {

namespace json = boost::json;

class PlayDoor : public Door {
 protected:
  PlayDoor() { add("game"); }

  void add(const std::string& directory) {
    const std::string root = directory_.file(directory);
    std::filesystem::create_directories(root);
    std::ofstream(root + "/drover.toml")
        << "[project]\nid = \"game\"\n[play]\nbuild = [\"true\"]\n";
    const HttpAnswer added =
        ask("POST", "/api/projects", json::serialize(json::object{{"root", root}}));
    ASSERT_EQ(added.status, 200U) << added.body;
  }
  HttpAnswer post(const std::string& what, std::string_view body = "{}",
                  std::string_view head = "") {
    return ask("POST", "/api/projects/game/" + what, body, head);
  }
  static std::string run_of(const HttpAnswer& answer) {
    return std::string(answer.json().at("session").at("run_id").as_string());
  }
  static bool ignored(const HttpAnswer& answer) { return answer.json().at("ignored").as_bool(); }
  run::Fact change(const std::string& play, play::Happening happening) {
    return play::changed(*RunId::parse(play), {.happening = happening,
                                               .rest = {.happening = run::Happening::completed,
                                                        .reason = run::Reason::exit_zero}});
  }
  void tell(const std::string& play, play::Happening happening) {
    on_loop([&] { EXPECT_TRUE(dispatcher_.record(change(play, happening))); });
  }
  // Brings the play to the point where its runtime runs.
  void perform(const std::string& play) {
    tell(play, play::Happening::prepared);
    tell(play, play::Happening::confirmed);
  }
};

// A play is a run: the quota of a token applies to it, too.
TEST_F(PlayDoor, PlayingIsWithinTheQuota) {
  const auto made = ask("POST", "/api/tokens", R"({"can":"run","scope":"project/game"})").json();
  const std::string bearer =
      "Authorization: Bearer " + std::string(made.at("token").as_string()) + "\r\n";
  for (std::int64_t i = 0; i < limits::kQuotaRunsMax; ++i) {
    const HttpAnswer answer = ask("POST", "/api/runs", R"({"command":["true"]})", bearer);
    ASSERT_EQ(answer.status, 202U) << answer.body;
  }
  expect_error(post("play", "{}", bearer), 429, "quota_exceeded", "runs");
  EXPECT_EQ(post("play").status, 202U) << "the owner has none";
}

// P7: a Stop that names a play stops that one, and not a later one.
TEST_F(PlayDoor, StopAffectsOnlyTheNamedPlay) {
  const std::string first = run_of(post("play"));
  perform(first);
  tell(first, play::Happening::ended);
  const std::string second = run_of(post("play"));
  perform(second);
  const HttpAnswer late = post("stop", R"({"run_id":")" + first + R"("})");
  EXPECT_EQ(late.status, 200U);
  EXPECT_TRUE(ignored(late));
  EXPECT_NE(late.json().at("why").as_string().find(second), std::string::npos) << late.body;
  EXPECT_FALSE(on_loop([&] { return (**store_.find(*RunId::parse(second))).cancel_requested; }));
  EXPECT_EQ(post("stop", R"({"run_id":")" + second + R"("})").status, 202U);
  EXPECT_TRUE(on_loop([&] { return (**store_.find(*RunId::parse(second))).cancel_requested; }));
  expect_error(post("stop", R"({"run_id":"game"})"), 400, "invalid_value", "run_id");
  expect_error(post("stop", R"({"run":"x"})"), 400, "unknown_field", "run");
}

// P7: a Stop for a play that is already at rest is answered as ignored.
TEST_F(PlayDoor, ALateStopIsIgnored) {
  const std::string id = run_of(post("play"));
  perform(id);
  on_loop([&] {
    dispatcher_.before_note = [&] {
      EXPECT_TRUE(dispatcher_.record(change(id, play::Happening::ended)));
    };
  });
  const HttpAnswer stopped = post("stop");
  EXPECT_EQ(stopped.status, 200U) << stopped.body;
  EXPECT_TRUE(ignored(stopped));
  EXPECT_EQ(stopped.json().at("why"), "the project is not being played");
}

// P6: Play is never ignored because of a play that has finished by the time of the answer.
TEST_F(PlayDoor, AFinishedPlayDoesNotBlockPlay) {
  const std::string first = run_of(post("play"));
  perform(first);
  on_loop([&] {
    dispatcher_.after_refusal = [&] {
      EXPECT_TRUE(dispatcher_.record(change(first, play::Happening::ended)));
    };
  });
  const HttpAnswer second = post("play");
  EXPECT_EQ(second.status, 202U) << second.body;
  EXPECT_FALSE(ignored(second));
  EXPECT_NE(run_of(second), first);
}

// S2: the same key gives the same play, even after it finished; another request under the key is
// refused.
TEST_F(PlayDoor, AKeyStartsOnePlay) {
  const std::string key = "Idempotency-Key: once\r\n";
  const HttpAnswer first = post("play", "{}", key);
  ASSERT_EQ(first.status, 202U) << first.body;
  EXPECT_FALSE(first.headers.contains("idempotent-replayed"));
  const HttpAnswer again = post("play", "{}", key);
  EXPECT_EQ(again.status, 202U);
  EXPECT_FALSE(ignored(again));
  EXPECT_EQ(run_of(again), run_of(first));
  EXPECT_EQ(again.headers.at("idempotent-replayed"), "true");
  expect_error(post("play", R"({"env":{"A":"b"}})", key), 409, "idempotency_key_reused",
               "Idempotency-Key");
  expect_error(post("play", "{}", "Idempotency-Key: " + std::string(300, 'x') + "\r\n"), 400,
               "invalid_value", "Idempotency-Key");
  EXPECT_TRUE(ignored(post("play")));
}

// A new directory with the id of a removed project has no earlier plays.
TEST_F(PlayDoor, ANewDirectoryHasNoEarlierPlays) {
  const std::string first = run_of(post("play"));
  perform(first);
  tell(first, play::Happening::ended);
  const auto state = [&] {
    return ask("GET", "/api/projects/game/session").json().at("state").as_string();
  };
  EXPECT_EQ(state(), "stopped");
  EXPECT_EQ(ask("DELETE", "/api/projects/game").status, 200U);
  const WallMs then = clock_.wall_ms();
  while (clock_.wall_ms() == then) std::this_thread::yield();  // Times are in milliseconds.
  add("another");
  EXPECT_EQ(state(), "idle");
  EXPECT_TRUE(ask("GET", "/api/projects/game/feed").json().at("entries").as_array().empty());
  EXPECT_EQ(ask("GET", "/api/projects/game/log").body, "");
  EXPECT_EQ(ask("GET", "/api/projects/game").json().at("run_id"), nullptr);
  EXPECT_EQ(post("stop").json().at("session").at("run_id"), nullptr);
  const std::string second = run_of(post("play"));
  EXPECT_EQ(state(), "preparing");
  EXPECT_EQ(ask("GET", "/api/projects/game").json().at("run_id"), text(second));
}

}  // namespace
}  // namespace drover::api
