// `why`, `show` and `signal` with a play's own id: a play is a run, but has no process.
#include <boost/json/serialize.hpp>

#include "tests/play/game.h"

namespace drover::tests {
namespace {

namespace json = boost::json;

class PlayCommands : public Game {
 protected:
  void SetUp() override { add(); }

  race::HttpAnswer signal(const std::string& id) const {
    return connect().ask("POST", "/api/runs/" + id + "/signal", R"({"signal":"USR1"})");
  }
  json::object why(const std::string& id) const {
    return connect().ask("GET", "/api/runs/" + id + "/why").body;
  }
  static std::string code_of(const race::HttpAnswer& answer) {
    const auto* error = answer.body.if_contains("error");
    return error == nullptr ? "" : text_of(error->as_object(), "code");
  }
};

// R5, P8: during preparation, `why` names the step and its run; a signal is refused, with that
// run's id, and does not reach it. A signal to the step's own id does.
TEST_F(PlayCommands, DuringPreparationASignalIsRefused) {
  write_project(step(
      "build", "mkdir -p build; trap ': > hit' USR1; : > up; " + until_file(path("hit")) + ":"));
  ASSERT_EQ(play().status, 202);
  flock_.wait_for_file("game/up");
  const std::string build = until_child("build", "running");
  const std::string id = text_of(session(), "run_id");
  const auto told = why(id);
  EXPECT_EQ(text_of(told, "state"), "running");
  EXPECT_EQ(text_of(told.at("session").as_object(), "state"), "preparing");
  EXPECT_EQ(text_of(told.at("session").as_object(), "step"), "build");
  EXPECT_EQ(text_of(told.at("child").as_object(), "run_id"), build);
  EXPECT_EQ(text_of(told.at("child").as_object(), "state"), "running");
  const std::string page = flock_.ok({"why", id});
  EXPECT_NE(page.find("game is preparing, in step build\n  its build is " + build +
                      ", running\n"
                      "  `drover why " +
                      build + "` says more about it"),
            std::string::npos)
      << page;
  const auto refused = signal(id);
  EXPECT_EQ(refused.status, 409);
  EXPECT_EQ(code_of(refused), "no_runtime");
  EXPECT_NE(json::serialize(refused.body).find(build), std::string::npos);
  EXPECT_EQ(flock_.drover({"signal", id, "USR1"}).code, 6);
  EXPECT_FALSE(exists("hit"));
  EXPECT_EQ(signal(build).status, 200);
  const auto end = until_rest();
  EXPECT_EQ(text_of(end, "state"), "stopped") << json::serialize(end);
  EXPECT_TRUE(exists("hit"));
}

// R5: while the runtime runs, a signal to the play goes to it, and the answer says so; input is
// refused. After the end, the errors say that the play has finished.
TEST_F(PlayCommands, WhileItRunsASignalReachesTheRuntime) {
  write_runtime("trap ': > hit' USR1; : > up; " + until_file(path("hit")) + ":");
  ASSERT_EQ(play().status, 202);
  flock_.wait_for_file("game/up");
  const auto now = until_state("running");
  const std::string id = text_of(now, "run_id");
  const std::string runtime = text_of(now, "runtime_run_id");
  EXPECT_EQ(text_of(why(id).at("child").as_object(), "run_id"), runtime);
  EXPECT_EQ(text_of(why(id).at("child").as_object(), "kind"), "runtime");
  EXPECT_EQ(code_of(connect().ask("POST", "/api/runs/" + id + "/input", "x\n",
                                  "Content-Type: application/octet-stream\r\n")),
            "no_process");
  const auto sent = signal(id);
  EXPECT_EQ(sent.status, 200) << json::serialize(sent.body);
  EXPECT_EQ(sent.text("run_id"), runtime);
  EXPECT_EQ(text_of(until_rest(), "state"), "stopped");
  EXPECT_TRUE(exists("hit"));
  EXPECT_EQ(code_of(signal(id)), "not_running");
  EXPECT_FALSE(why(id).contains("child"));
}

// P5, P8: `why` and `show` give the code of a finished play session.
TEST_F(PlayCommands, AfterItFinishedTheCodeIsShown) {
  write(".drover/setup.json", "{}");
  ASSERT_EQ(play().status, 202);
  const std::string id = text_of(until_rest(), "run_id");
  EXPECT_EQ(text_of(record(id).at("session").as_object(), "code"), "runtime_path_missing");
  for (const char* verb : {"show", "why"}) {
    const std::string page = flock_.ok({verb, id});
    EXPECT_NE(page.find("runtime_failed · runtime · runtime_path_missing"), std::string::npos)
        << page;
  }
}

}  // namespace
}  // namespace drover::tests
