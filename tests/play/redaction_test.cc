// Secrets in a play (R15, H3): of the caller and of a step.
#include <sched.h>

#include <boost/json/serialize.hpp>

#include "tests/play/game.h"

namespace drover::tests {
namespace {

class SecretGame : public Game {
 protected:
  // A validation that waits for the gate, then blocks the pack with both secrets in the message.
  void write_talker() {
    write("talk",
          "read x < gate\n"
          "echo \"{\\\"severity\\\":\\\"error\\\",\\\"blocking\\\":true,"
          "\\\"message\\\":\\\"bad $API_TOKEN $DB_PASSWORD\\\"}\"\n");
    write_project(step("build", "mkdir -p build") + step("validate", "sh talk") +
                  "env = { DB_PASSWORD = \"swordfish-of-the-step\" }\n");
  }
  void expect_hidden(const std::string& text, const std::string& where) {
    for (const char* secret : {"hunter2", "swordfish"}) {
      EXPECT_EQ(text.find(secret), std::string::npos) << where << ": " << text;
    }
  }
};

// R15: a secret of the environment of a play, or of one of its steps, is shown nowhere but in the
// output that the step itself prints; also if another daemon finishes the play.
TEST_F(SecretGame, HidesSecretsOfTheCallerAndOfAStep) {
  flock_.environment["API_TOKEN"] = "hunter2-of-the-caller";
  write_talker();
  barrier("gate");
  add();
  std::string earlier;
  for (const bool killed : {false, true}) {
    auto playing = flock_.start({"play", root_});
    while (text_of(session(), "run_id") == earlier) ::sched_yield();
    earlier = text_of(session(), "run_id");
    const std::string validation = until_child("pack-validation", "running");
    if (killed) {
      flock_.kill_daemon();
      flock_.daemon();
    }
    let("gate");
    const Output printed = playing->finish();
    const auto end = until_rest();
    ASSERT_EQ(text_of(end, "code"), "blocked") << boost::json::serialize(end);
    EXPECT_NE(text_of(end, "message").find("bad [redacted] [redacted]"), std::string::npos)
        << text_of(end, "message");
    expect_hidden(boost::json::serialize(end), "session");
    expect_hidden(printed.err, "drover play");
    expect_hidden(log().back(), "log");
    for (const std::string& id : {text_of(end, "run_id"), validation}) {
      for (const char* path : {"", "/why", "/events"}) {
        expect_hidden(boost::json::serialize(connect().ask("GET", "/api/runs/" + id + path).body),
                      path);
      }
    }
    for (const char* path : {"/api/projects/game/feed", "/api/events?last=true&limit=1000"}) {
      expect_hidden(boost::json::serialize(connect().ask("GET", path).body), path);
    }
  }
}

}  // namespace
}  // namespace drover::tests
