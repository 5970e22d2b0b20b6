// Playing from the command line (S1, P9): the output and the exit code.
#include <signal.h>

#include <filesystem>

#include "tests/play/game.h"

namespace drover::tests {
namespace {

class PlayCommand : public Game {
 protected:
  std::vector<std::string> words(const std::string& verb, const std::string& more = "") {
    std::vector<std::string> out{"play"};
    if (!verb.empty()) out.push_back(verb);
    out.push_back(root_ + "/");
    if (!more.empty()) out.push_back(more);
    return out;
  }
};

// P9, S1: one command adds and plays a new project, prints each line with its source from the first
// line of the build on, and exits with the runtime's exit code.
TEST_F(PlayCommand, ShowsTheLogAndExitsWithTheRuntime) {
  write_runtime("echo playing; exit 3");
  const Output shown = flock_.drover(words(""));
  EXPECT_EQ(shown.code, 3) << shown.err;
  size_t at = 0;
  for (const char* line :
       {"play            │ preparing\n", "build           │ building\n",
        "pack-validation │ validating\n", "pack            │ packing\n", "manifest        │ ",
        "runtime         │ playing\n", "play            │ runtime: "}) {
    const size_t found = shown.out.find(line, at);
    ASSERT_NE(found, std::string::npos) << line << "\n" << shown.out;
    at = found;
  }
  EXPECT_EQ(shown.out.find('\x1b'), std::string::npos);  // Into a pipe: no color.
  const auto told = flock_.json(words("status"));
  EXPECT_EQ(text_of(told, "project"), "game");
  EXPECT_EQ(text_of(told, "state"), "runtime_failed");
  EXPECT_EQ(text_of(told, "step"), "runtime");
  for (const char* key : {"run_id", "code", "message"}) EXPECT_NE(text_of(told, key), "") << key;
  EXPECT_NE(flock_.ok(words("log")).find("runtime         │ playing"), std::string::npos);
  EXPECT_NE(flock_.ok(words("log", "-f")).find("runtime         │ playing"), std::string::npos);
  EXPECT_NE(flock_.ok(words("feed")).find("runtime_failed"), std::string::npos);
  EXPECT_NE(flock_.ok({"project", "ls"}).find("runtime_failed"), std::string::npos);
  EXPECT_NE(flock_.ok({"ps"}).find("play game"), std::string::npos);
  EXPECT_NE(flock_.ok({"show", text_of(told, "run_id")}).find("runtime_failed · runtime"),
            std::string::npos);
  flock_.ok({"project", "rm", "game"});
  EXPECT_EQ(flock_.drover({"play", "status", "game"}).code, 5);
}

// S1: the exit code of a failed play is the step's own, 124 or 127; otherwise 125.
TEST_F(PlayCommand, ExitsWithTheCodeOfTheFailedStep) {
  const std::pair<std::string, int> cases[] = {
      {"[play]\nbuild = 'exit 9'", 9},
      {"[play]\nbuild = ['/nothing/there']", 127},
      {"[play.build]\nshell = 'sleep 1000'\ntimeout = '100ms'", 124},
      {"[play]\nvalidate = '''echo '{\"severity\":\"error\",\"message\":\"no\",\"blocking\":true}' "
       "'''",
       125},
  };
  for (const auto& [toml, code] : cases) {
    write_project(toml + "\n");
    const Output shown = flock_.drover(words(""));
    EXPECT_EQ(shown.code, code) << toml << shown.out << shown.err;
  }
  write_project();
  write(".drover/setup.json", "{}");
  EXPECT_EQ(flock_.drover(words("")).code, 125);
  EXPECT_EQ(flock_.drover({"play", flock_.file("nowhere/")}).code, 5);
  EXPECT_EQ(flock_.drover({"play", "nobody"}).code, 5);
}

// P7: Ctrl-C stops the runtime. P6: a second `play` says that it was ignored, and shows the same
// log.
TEST_F(PlayCommand, CtrlCStopsTheRuntime) {
  write_runtime("echo playing; while :; do sleep 1000; done");
  const auto first = flock_.start(words(""));
  first->wait_for("│ playing\n");
  const auto second = flock_.start(words(""));
  second->wait_for("│ playing\n");
  second->signal(SIGINT);
  const Output seen = second->finish();
  EXPECT_EQ(seen.code, 130);
  EXPECT_NE(seen.err.find("not started: "), std::string::npos) << seen.err;
  const Output shown = first->finish();
  EXPECT_EQ(shown.code, 130);
  EXPECT_NE(shown.out.find("play            │ stopped\n"), std::string::npos) << shown.out;
  EXPECT_TRUE(flock_.alive().empty());
}

// P7, P10: during preparation Ctrl-C says that preparation is not stopped, and a second Ctrl-C
// detaches and leaves the play running.
TEST_F(PlayCommand, CtrlCLeavesPreparationAlone) {
  barrier("gate");
  write_project(step("build", "mkdir -p build; echo waiting; read x < gate; touch built"));
  const auto shown = flock_.start(words(""));
  shown->wait_for("│ waiting\n");
  shown->signal(SIGINT);
  shown->wait_for_error("preparation cannot be stopped");
  shown->signal(SIGINT);
  EXPECT_EQ(shown->finish().code, 130);
  EXPECT_EQ(text_of(session(), "state"), "preparing");
  const Output stopped = flock_.drover(words("stop"));
  EXPECT_EQ(stopped.code, 0);
  EXPECT_NE(stopped.err.find("not stopped: "), std::string::npos);
  let("gate");
  EXPECT_EQ(text_of(until_rest(), "state"), "stopped");
  EXPECT_TRUE(exists("built"));
}

// P8: with --detach it prints the play's id; `play stop` ends it; the environment is the caller's.
TEST_F(PlayCommand, DetachPrintsTheIdAndStopEndsThePlay) {
  write_runtime(
      "printf %s \"$LEVEL\" > level.new; mv level.new level; while :; do sleep 1000; done");
  flock_.environment["LEVEL"] = "nine";
  const std::string id = flock_.ok(words("", "-d"));
  EXPECT_EQ(id, text_of(session(), "run_id"));
  flock_.wait_for_file("game/level");
  EXPECT_EQ(read("level"), "nine");
  until_state("running");
  EXPECT_EQ(flock_.ok(words("stop")), "game is stopped");
  EXPECT_TRUE(flock_.alive().empty());
}

// P8: a followed log continues although the daemon is killed.
TEST_F(PlayCommand, FollowsAcrossAKilledDaemon) {
  barrier("gate");
  write_runtime("echo before; : > said; read x < gate; echo after; exit 4");
  const auto shown = flock_.start(words(""));
  shown->wait_for("│ before\n");
  flock_.kill_daemon();
  flock_.daemon();
  let("gate");
  const Output seen = shown->finish();
  EXPECT_EQ(seen.code, 4) << seen.err;
  EXPECT_EQ(seen.out.find("│ before\n"), seen.out.rfind("│ before\n"));
  EXPECT_NE(seen.out.find("│ after\n"), std::string::npos);
}

// R15: a token for its scope can play and stop a known project from its directory; only the owner
// can add a new one.
TEST_F(PlayCommand, ATokenPlaysKnownProjects) {
  write_runtime("echo playing; while :; do sleep 1000; done");
  const std::string token =
      flock_.ok({"token", "create", "--scope", "project/game", "--can", "read,run,cancel"});
  flock_.environment["DROVER_TOKEN"] = token;
  EXPECT_EQ(flock_.drover(words("")).code, 2);
  flock_.environment.erase("DROVER_TOKEN");
  flock_.ok({"project", "add", root_});
  flock_.environment["DROVER_TOKEN"] = token;
  const auto shown = flock_.start(words(""));
  shown->wait_for("│ playing\n");
  EXPECT_EQ(flock_.ok(words("stop")), "game is stopped");
  EXPECT_EQ(shown->finish().code, 130);
  flock_.environment.erase("DROVER_TOKEN");
}

// If the reader of the output exits (`| head -1`), the play continues; it can be shown and stopped.
TEST_F(PlayCommand, ThePlayContinuesWithoutItsReader) {
  write_runtime("while :; do echo playing; sleep 0.01; done");
  Started piped({"/bin/sh", "-c",
                 "{ " DROVER_BIN "/drover play '" + root_ + "/'; echo $? > code; } | head -1"},
                flock_.environment, "", root_);
  const Output seen = piped.finish();
  EXPECT_EQ(seen.out, "play            │ preparing\n");
  EXPECT_NE(seen.err.find("the play continues"), std::string::npos) << seen.err;
  EXPECT_EQ(read("code"), "130\n");
  until_state("running");
  // Without -f, `log` ends although the play continues.
  EXPECT_NE(flock_.ok(words("log")).find("│ playing"), std::string::npos);
  EXPECT_EQ(flock_.ok(words("stop")), "game is stopped");
}

}  // namespace
}  // namespace drover::tests
