// One play of a project at a time, also across daemons and homes (P6): the lock in the project.
#include <boost/json/serialize.hpp>
#include <filesystem>

#include "tests/play/game.h"

namespace drover::tests {
namespace {

// The same project, known to a second daemon with a home of its own.
class SecondDaemon : public Game {
 protected:
  void SetUp() override {
    write_project(step("build", "mkdir -p build"));
    add();
    other_.daemon();
    ASSERT_EQ(ask_other("", boost::json::serialize(boost::json::object{{"root", root_}})).status,
              200);
  }
  race::HttpAnswer ask_other(const std::string& what, const std::string& body = "{}") const {
    return race::Client(other_.home().socket())
        .ask("POST", "/api/projects" + (what.empty() ? "" : "/game/" + what), body);
  }
  boost::json::object other_session(const std::string& query = "") const {
    return race::Client(other_.home().socket())
        .ask("GET", "/api/projects/game/session" + query)
        .body;
  }
  void expect_conflict(const std::string& part) const {
    const auto refused = ask_other("play");
    const std::string said = boost::json::serialize(refused.body);
    EXPECT_EQ(refused.status, 409) << said;
    EXPECT_NE(said.find("\"played_elsewhere\""), std::string::npos) << said;
    EXPECT_NE(said.find(part), std::string::npos) << said;
    EXPECT_EQ(text_of(other_session(), "state"), "idle");
  }

  Flock other_;
};

// P6: from the preparation to the end of the runtime, another daemon refuses to play the project
// and names the daemon that plays it; afterwards it plays.
TEST_F(SecondDaemon, ASecondDaemonIsRefused) {
  barrier("gate");
  write_project(step("build", "mkdir -p build; read x < gate"));
  write_runtime("while :; do sleep 1000; done");
  ASSERT_EQ(play().status, 202);
  until_child("build", "running");
  expect_conflict(flock_.home().state);
  expect_conflict("pid " + std::to_string(flock_.daemon()));
  const Output said = other_.drover({"play", "game"});
  EXPECT_NE(said.code, 0);
  EXPECT_NE(said.err.find(flock_.home().state), std::string::npos) << said.err;
  let("gate");
  until_state("running");
  expect_conflict(flock_.home().state);
  ASSERT_EQ(stop().status, 202);
  EXPECT_EQ(text_of(until_rest(), "state"), "stopped");
  write_project(step("build", "mkdir -p build"));
  write_runtime("exit 0");
  EXPECT_EQ(ask_other("play").status, 202);
  EXPECT_EQ(text_of(other_session("?wait=60s"), "state"), "stopped");
  // And here again, at once, although the file of the other one is still there.
  ASSERT_EQ(play().status, 202);
  EXPECT_EQ(text_of(until_rest(), "state"), "stopped");
}

// P6: the keeper of a runtime keeps the lock if the daemon is killed, for as long as the runtime
// runs. A daemon that died without a runtime blocks nobody.
TEST_F(SecondDaemon, AKilledDaemonsRuntimeKeepsTheLock) {
  barrier("gate");
  write_runtime("read x < gate");
  ASSERT_EQ(play().status, 202);
  const auto running = until_state("running");
  const std::string runtime = text_of(running, "runtime_run_id");
  flock_.kill_daemon();
  expect_conflict(flock_.home().state);
  // The next daemon of that home takes its play over.
  flock_.daemon();
  EXPECT_EQ(text_of(session(), "state"), "running");
  expect_conflict("pid " + std::to_string(flock_.daemon()));
  flock_.kill_daemon();
  let("gate");
  flock_.wait_for_keeper(runtime);
  write_runtime("exit 0");
  EXPECT_EQ(ask_other("play").status, 202);
  EXPECT_EQ(text_of(other_session("?wait=60s"), "state"), "stopped");
  flock_.daemon();
  EXPECT_EQ(text_of(until_rest(), "state"), "stopped");
}

// P6: a step keeps the lock too. The play of a killed daemon continues if nobody has played the
// project since, and fails if somebody does.
TEST_F(SecondDaemon, AKilledDaemonsStepKeepsTheLock) {
  barrier("gate");
  write_project(step("build", "mkdir -p build; read x < gate"));
  ASSERT_EQ(play().status, 202);
  const std::string build = until_child("build", "running");
  flock_.kill_daemon();
  expect_conflict(flock_.home().state);
  let("gate");
  flock_.wait_for_keeper(build);
  barrier("runs");
  write_project(step("build", "mkdir -p build"));
  write_runtime("read x < runs");
  ASSERT_EQ(ask_other("play").status, 202);
  flock_.daemon();
  const auto end = until_rest();
  EXPECT_EQ(text_of(end, "state"), "prepare_failed");
  EXPECT_EQ(text_of(end, "code"), "played_elsewhere") << text_of(end, "message");
  EXPECT_NE(text_of(end, "message").find(other_.home().state), std::string::npos);
  let("runs");
  EXPECT_EQ(text_of(other_session("?wait=60s"), "state"), "stopped");
}

// P6: a step that deletes the lock does not lead to a second runtime: the lock is taken again.
TEST_F(SecondDaemon, ADeletedLockIsTakenAgain) {
  write_project(step("build", "mkdir -p build; rm .drover/play.lock"));
  write_runtime("while :; do sleep 1000; done");
  ASSERT_EQ(play().status, 202);
  until_state("running");
  expect_conflict(flock_.home().state);
  ASSERT_EQ(stop().status, 202);
  until_rest();
}

// P6: deleting the lock during the runtime does not let another daemon play, neither while the
// daemon of the play lives nor after its end. The runtime does not inherit the lock.
TEST_F(SecondDaemon, ADeletedLockLetsNobodyIn) {
  barrier("gate");
  write_runtime("ls -l /proc/self/fd > descriptors; read x < gate");
  ASSERT_EQ(play().status, 202);
  const auto running = until_state("running");
  const std::string runtime = text_of(running, "runtime_run_id");
  std::filesystem::remove(path(".drover/play.lock"));
  expect_conflict("another daemon");
  std::filesystem::copy_file(path(".drover/setup.json"), path("setup"));
  std::filesystem::remove_all(path(".drover"));  // As `git clean -fdx` does.
  expect_conflict("another daemon");
  flock_.kill_daemon();
  std::filesystem::remove_all(path(".drover"));
  expect_conflict("is still running in this project");
  flock_.daemon();
  expect_conflict("is being played");
  let("gate");
  EXPECT_EQ(text_of(until_rest(), "state"), "stopped");
  flock_.wait_for_keeper(runtime);
  EXPECT_EQ(read("descriptors").find(root_ + "\n"), std::string::npos) << read("descriptors");
  std::filesystem::create_directories(path(".drover"));
  std::filesystem::copy_file(path("setup"), path(".drover/setup.json"));
  write_runtime("exit 0");
  EXPECT_EQ(ask_other("play").status, 202);
  EXPECT_EQ(text_of(other_session("?wait=60s"), "state"), "stopped");
}

// A repeated request gets its first answer, also while another daemon plays the project.
TEST_F(SecondDaemon, ARepeatedRequestIsAnswered) {
  const auto play_with_key = [&](const std::string& key) {
    return connect().ask("POST", "/api/projects/game/play", "{}",
                         "Idempotency-Key: " + key + "\r\n");
  };
  write_runtime("exit 0");
  const auto first = play_with_key("one");
  EXPECT_EQ(first.status, 202);
  until_rest();
  barrier("gate");
  barrier("started");
  write_runtime("echo now > started; read x < gate");
  ASSERT_EQ(ask_other("play").status, 202);
  EXPECT_EQ(read("started"), "now\n");  // Waits for it.
  const auto again = play_with_key("one");
  EXPECT_EQ(again.status, 202) << boost::json::serialize(again.body);
  EXPECT_EQ(text_of(again.body, "run_id"), text_of(first.body, "run_id"));
  EXPECT_EQ(play_with_key("two").status, 409);
  let("gate");
  EXPECT_EQ(text_of(other_session("?wait=60s"), "state"), "stopped");
}

// P6: where the project cannot be locked it is not played, and the error names the file.
TEST_F(SecondDaemon, WithoutALockThereIsNoPlay) {
  std::filesystem::rename(path(".drover"), path("kept"));
  std::filesystem::create_directory_symlink("kept", path(".drover"));
  const auto refused = play();
  const std::string said = boost::json::serialize(refused.body);
  EXPECT_EQ(refused.status, 400) << said;
  EXPECT_NE(said.find("\"project_not_lockable\""), std::string::npos) << said;
  EXPECT_NE(said.find(".drover/play.lock"), std::string::npos) << said;
  std::filesystem::remove(path(".drover"));
  // A missing directory is created.
  EXPECT_EQ(play().status, 202);
  EXPECT_EQ(text_of(until_rest(), "code"), "runtime_path_missing");
  EXPECT_TRUE(exists(".drover/play.lock"));
}

}  // namespace
}  // namespace drover::tests
