// Runs of unknown kinds: a daemon without rooms, in a home where droverd has played a project.
#include <signal.h>

#include <boost/json/serialize.hpp>
#include <map>

#include "tests/play/game.h"

namespace drover::tests {
namespace {

using boost::json::object;

class UnknownKinds : public Game {
 protected:
  void SetUp() override {
    become(DROVER_WHOLE);
    add();
  }

  // Replaces the daemon of this home by another program. Runs continue in the meantime.
  void become(const std::string& programs) {
    flock_.ok({"stop"});
    flock_.programs = programs;
    flock_.daemon();
  }

  // Starts a play whose runtime waits for `path("go")`; sets the ids of both.
  void play_until_running() {
    write_runtime(": > up; " + until_file(path("go")));
    ASSERT_EQ(play().status, 202);
    flock_.wait_for_file("game/up");
    playing_ = text_of(until_state("running"), "run_id");
    runtime_ = until_child("runtime", "running");
  }

  std::string reason(const race::HttpAnswer& answer) const {
    const auto* error = answer.body.if_contains("error");
    return error == nullptr ? boost::json::serialize(answer.body)
                            : text_of(error->as_object(), "code");
  }
  std::string refusal(const std::string& method, const std::string& path) const {
    return reason(connect().ask(method, "/api/runs/" + path, method == "POST" ? "{}" : ""));
  }

  // The states of all runs, by id.
  std::map<std::string, std::string> list() {
    std::map<std::string, std::string> out;
    const object page = flock_.json({"ps", "-a"});
    for (const auto& run : page.at("runs").as_array()) {
      out[text_of(run.as_object(), "run_id")] = text_of(run.as_object(), "state");
    }
    return out;
  }

  std::string playing_, runtime_;
};

// Runs of unknown kinds are listed and shown; a request to change one is refused with the reason.
TEST_F(UnknownKinds, AreListedShownAndLeftAlone) {
  ASSERT_EQ(play().status, 202);
  const std::string played = text_of(until_rest(), "run_id");
  play_until_running();
  const auto before = list();
  const pid_t keeper = flock_.keeper_of(runtime_);
  become(DROVER_BIN);

  EXPECT_EQ(list(), before);
  EXPECT_GT(before.size(), 8U);  // Two plays, and the runs of each.
  for (const auto& [id, state] : before) {
    const Output shown = flock_.drover({"show", id});
    EXPECT_EQ(shown.code, 0) << shown.err;
    EXPECT_NE(shown.out.find(state), std::string::npos) << shown.out;
    EXPECT_EQ(flock_.drover({"why", id}).code, 0) << id << " " << state;
    EXPECT_EQ(refusal("POST", id + "/retry"), "unknown_kind") << id << " " << state;
    EXPECT_EQ(refusal("DELETE", id), "unknown_kind") << id << " " << state;
  }
  for (const std::string& id : {playing_, runtime_}) {
    EXPECT_EQ(refusal("POST", id + "/cancel"), "unknown_kind") << id;
    const std::string path = "/api/runs/" + id + "/signal";
    EXPECT_EQ(reason(connect().ask("POST", path, R"({"signal":"HUP"})")), "unknown_kind") << id;
    EXPECT_NE(flock_.drover({"retry", id}).err.find(id), std::string::npos)
        << "the error names another run";
  }
  EXPECT_EQ(connect().ask("GET", "/api/projects").status, 404);
  EXPECT_EQ(list(), before);
  EXPECT_EQ(::kill(keeper, 0), 0) << "the keeper is gone";

  // `why` of an active one gives the reason, and no guess at what it is doing.
  for (const std::string& id : {playing_, runtime_}) {
    const Output why = flock_.drover({"why", id});
    EXPECT_NE(why.out.find("this daemon does not know runs of kind"), std::string::npos) << why.out;
    EXPECT_EQ(why.out.find("no process that can be observed"), std::string::npos) << why.out;
  }

  // `stop --kill` stops none of them, says so, and names their processes.
  const Output stopped = flock_.drover({"stop", "--kill"});
  EXPECT_EQ(stopped.code, 1) << stopped.err;
  EXPECT_NE(stopped.err.find("is alive: " + runtime_ + " has not finished"), std::string::npos)
      << stopped.err;
  EXPECT_NE(stopped.err.find("left 2 active runs of unknown kinds alone"), std::string::npos)
      << stopped.err;
  EXPECT_EQ(::kill(keeper, 0), 0) << "the keeper is gone";
  flock_.daemon();
  become(DROVER_WHOLE);
  EXPECT_EQ(list(), before);
  flock_.touch("game/go");
  EXPECT_EQ(text_of(until_rest(), "state"), "stopped");
  EXPECT_EQ(text_of(record(runtime_), "state"), "completed");
  EXPECT_EQ(text_of(record(played), "state"), "completed");
  flock_.expect_verified();
}

// A run of an unknown kind that finishes meanwhile is recovered by the next daemon that knows the
// kind.
TEST_F(UnknownKinds, AreRecoveredByADaemonThatKnowsThem) {
  play_until_running();
  become(DROVER_BIN);
  flock_.touch("game/go");
  flock_.wait_for_keeper(runtime_);
  EXPECT_EQ(flock_.drover({"run", "--", "true"}).code, 0);
  EXPECT_EQ(list()[runtime_], "running");
  EXPECT_EQ(flock_.droverd({"--verify"}).code, 0);
  flock_.kill_daemon();
  flock_.programs = DROVER_WHOLE;
  flock_.daemon();
  EXPECT_EQ(text_of(until_rest(), "state"), "stopped");
  EXPECT_EQ(text_of(record(runtime_), "state"), "completed");
  EXPECT_EQ(text_of(record(playing_), "state"), "completed");
  flock_.expect_verified();
}

// A queued run of an unknown kind is not started, although others of its lane are.
TEST_F(UnknownKinds, AreNotStarted) {
  flock_.ok({"lane", "pause", "play"});
  ASSERT_EQ(play().status, 202);
  const std::string build = until_child("build", "queued");
  become(DROVER_BIN);
  flock_.ok({"lane", "resume", "play"});
  EXPECT_EQ(flock_.drover({"run", "--lane", "play", "--", "true"}).code, 0);
  EXPECT_EQ(list()[build], "queued");
  EXPECT_FALSE(exists("built"));
  become(DROVER_WHOLE);
  EXPECT_EQ(text_of(until_rest(), "state"), "stopped");
  EXPECT_TRUE(exists("built"));
  flock_.expect_verified();
}

// Retention does not delete them, and continues with the scopes after them.
TEST_F(UnknownKinds, AreKept) {
  ASSERT_EQ(play().status, 202);
  until_rest();
  const auto before = list();
  flock_.ok({"stop"});
  flock_.programs = DROVER_BIN;
  Started daemon({flock_.programs + "/droverd", "--retain-count", "1", "--retain-every", "20ms"},
                 flock_.environment, "");
  daemon.wait_for_error("ready");
  const std::string first = flock_.run("exit 0", {"--scope", "zoo"});
  flock_.ended(first);
  const std::string second = flock_.run("exit 0", {"--scope", "zoo"});
  flock_.ended(second);
  auto follower = flock_.start({"events", "-f", "--json", "--after", "0"});
  follower->wait_for("run.deleted");
  follower.reset();
  auto after = list();
  EXPECT_EQ(after.erase(second), 1U);
  EXPECT_EQ(after, before);
  flock_.ok({"stop"});
  daemon.finish();
}

// A daemon without the room refuses the options that the room adds to droverd.
TEST_F(UnknownKinds, HaveNoOptions) {
  EXPECT_EQ(flock_.droverd({"--manifest", root_}).err.find("unknown argument"), std::string::npos);
  flock_.programs = DROVER_BIN;
  const Output refused = flock_.droverd({"--manifest", root_});
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find("unknown argument --manifest"), std::string::npos) << refused.err;
}

// If the daemon lacks the room of a command, the command says so.
TEST_F(UnknownKinds, HaveNoOperations) {
  become(DROVER_BIN);
  const Output refused = flock_.drover({"project", "ls"});
  EXPECT_EQ(refused.code, 5);
  EXPECT_NE(refused.err.find("this daemon does not have the operation projects.list"),
            std::string::npos)
      << refused.err;
}

}  // namespace
}  // namespace drover::tests
