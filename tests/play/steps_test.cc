// Preparation that fails, in every way and at every step (P1, P2): the session says so, the log is
// complete, and no later step has run.
#include <algorithm>
#include <tuple>

#include "tests/play/game.h"

namespace drover::tests {
namespace {

struct Way {
  const char* name;
  const char* toml;  // After [play.NAME].
  const char* code;
};
struct Step {
  const char* name;    // In drover.toml.
  const char* source;  // In the log.
};
constexpr Step kSteps[] = {{"build", "build"}, {"validate", "pack-validation"}, {"pack", "pack"}};

class EveryStep : public Game {
 protected:
  void expect_failure(const Step& failing, const Way& way) {
    SCOPED_TRACE(std::string(failing.name) + ", " + way.name);
    for (const char* witness : {"built", "validated", "packed", "argv"}) {
      std::remove(path(witness).c_str());
    }
    std::string toml;
    for (const Step& step : kSteps) {
      const bool fails = std::string(step.name) == failing.name;
      const std::string witness = std::string(step.name) == "build"      ? "built"
                                  : std::string(step.name) == "validate" ? "validated"
                                                                         : "packed";
      toml += fails ? "[play." + std::string(step.name) + "]\n" + way.toml + "\n"
                    : Game::step(step.name, "mkdir -p build; echo done; touch " + witness);
    }
    write_project(toml);
    add();
    ASSERT_EQ(play().status, 202);
    const auto end = until_rest();
    EXPECT_EQ(text_of(end, "state"), "prepare_failed");
    EXPECT_EQ(text_of(end, "step"), failing.source);
    EXPECT_EQ(text_of(end, "code"), way.code);
    EXPECT_NE(text_of(end, "message").find(failing.source), std::string::npos);
    EXPECT_EQ(feed(),
              (std::vector<std::string>{
                  "preparing", "prepare_failed " + std::string(failing.source) + " " + way.code}));
    // The log has the output of the earlier steps and of the failed one, and the error as its last
    // entry.
    const auto lines = log();
    ASSERT_FALSE(lines.empty());
    EXPECT_EQ(lines.back(), "play│" + text_of(end, "message"));
    bool before = true;
    for (const Step& step : kSteps) {
      const std::string said = std::string(step.source) + "│";
      const bool fails = std::string(step.name) == failing.name;
      if (fails) before = false;
      const bool told = std::ranges::find(lines, said + "done") != lines.end();
      EXPECT_EQ(told, before) << step.name;
      if (fails && std::string(way.toml).find("echo last words") != std::string::npos) {
        EXPECT_NE(std::ranges::find(lines, said + "last words"), lines.end());
      }
    }
    EXPECT_EQ(exists("built"), std::string(failing.name) != "build");
    EXPECT_EQ(exists("validated"), std::string(failing.name) == "pack");
    EXPECT_FALSE(exists("packed"));
    EXPECT_FALSE(exists("argv"));  // The runtime.
    EXPECT_FALSE(end.at("runs").as_object().contains("manifest"));
    EXPECT_FALSE(end.at("runs").as_object().contains("runtime"));
  }
};

// P1: every step fails in every way: by its exit code, by a signal, because the program is missing,
// or by its timeout.
TEST_F(EveryStep, FailsInEveryWay) {
  const Way ways[] = {
      {"an exit code", "shell = 'echo last words; exit 7'", "exit_nonzero"},
      {"a signal", "shell = 'echo last words; kill -KILL $$'", "signaled"},
      {"a program that is not there", "command = ['/nothing/there']", "spawn_failed"},
      {"a directory that is not there", "command = ['true']\ncwd = 'nowhere'", "spawn_failed"},
      {"too much time", "shell = 'echo last words; sleep 1000'\ntimeout = '200ms'", "timeout"},
  };
  for (const Step& step : kSteps) {
    for (const Way& way : ways) expect_failure(step, way);
  }
  EXPECT_TRUE(flock_.alive().empty());
}

// P1, P2: a line of the validation may block the pack although it exits with 0, and is shown as a
// diagnostic.
TEST_F(EveryStep, TheValidationBlocks) {
  expect_failure(kSteps[1],
                 {"a blocking diagnostic",
                  "shell = '''echo '{\"severity\":\"error\",\"message\":\"no way "
                  "out\",\"file\":\"l.txt\",\"line\":3,\"blocking\":true}'; echo last words'''",
                  "blocked"});
  const auto lines = log();
  EXPECT_TRUE(std::ranges::any_of(lines, [](const std::string& line) {
    return line.starts_with("pack-validation│l.txt:3: no way out");
  }));
}

// P2: a manifest that cannot be written is a failed step, and no runtime starts.
TEST_F(EveryStep, TheManifestFails) {
  write_project(step("build", "rm -rf build; mkdir build; mkfifo build/pipe"));
  add();
  ASSERT_EQ(play().status, 202);
  const auto end = until_rest();
  EXPECT_EQ(text_of(end, "state"), "prepare_failed");
  EXPECT_EQ(text_of(end, "step"), "manifest");
  EXPECT_FALSE(exists("argv"));
}

// P8: a step that could not even be started is the failed step: because drover.toml is no longer
// readable, or has another id.
TEST_F(EveryStep, ThatCannotStartIsTheFailedStep) {
  const std::tuple<const char*, const char*, const char*> cases[] = {
      {"[project", "build", "bad_project"},
      {"[project]\nid = \"other\"\n", "build", "project_elsewhere"},
      {nullptr, "pack-validation", "bad_project"},
  };
  for (const auto& [toml, step, code] : cases) {
    write_project(toml == nullptr ? Game::step("build", "echo '[project' > drover.toml") : "");
    add();
    if (toml != nullptr) write("drover.toml", toml);
    ASSERT_EQ(play().status, 202);
    const auto end = until_rest();
    EXPECT_EQ(text_of(end, "state"), "prepare_failed");
    EXPECT_EQ(text_of(end, "step"), step) << code;
    EXPECT_EQ(text_of(end, "code"), code) << text_of(end, "message");
    EXPECT_EQ(feed().back(), "prepare_failed " + std::string(step) + " " + code);
  }
}

// P9, P2: stderr in the middle of a blocking diagnostic does not split it.
TEST_F(EveryStep, ADiagnosticIsWholeInTheLog) {
  expect_failure(kSteps[1], {"a blocking diagnostic, in two",
                             "shell = '''printf '{\"severity\":\"error\",'; echo careful >&2; echo "
                             "'\"message\":\"no way out\",\"blocking\":true}' '''",
                             "blocked"});
  const auto lines = log();
  EXPECT_NE(std::ranges::find(lines, "pack-validation│careful"), lines.end());
  EXPECT_TRUE(std::ranges::any_of(lines, [](const std::string& line) {
    return line.starts_with("pack-validation│no way out");
  }));
}

// P6: after a failure Play starts a new session, which succeeds.
TEST_F(EveryStep, PlayAfterAFailureStartsANewSession) {
  expect_failure(kSteps[2], {"an exit code", "shell = 'exit 1'", "exit_nonzero"});
  const std::string first = text_of(session(), "run_id");
  write_project();
  ASSERT_EQ(play().status, 202);
  const auto end = until_rest();
  EXPECT_EQ(text_of(end, "state"), "stopped");
  EXPECT_NE(text_of(end, "run_id"), first);
  EXPECT_EQ(feed(), (std::vector<std::string>{"preparing", "connecting", "running", "stopped"}));
  EXPECT_EQ(log(), (std::vector<std::string>{"build│building", "pack-validation│validating",
                                             "pack│packing",
                                             "manifest│build/manifest.json: 1 file, 7 bytes"}));
}

}  // namespace
}  // namespace drover::tests
