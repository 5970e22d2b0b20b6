// Plays with a real dispatcher and real commands: every way a play can finish.
#include "play/script_fixture.h"

namespace drover::play {
namespace {

// P1, P3, P8: the stages run in order, the runtime gets exactly its arguments in the project's
// root, and each change of the session is one event.
TEST_F(PlayTest, PlaysAProject) {
  EXPECT_FALSE(play().ignored);
  const PlaySession end = until_rest();
  EXPECT_EQ(end.state, State::stopped);
  for (const char* witness : {"built", "validated", "packed", "build/manifest.json"}) {
    EXPECT_TRUE(exists(witness)) << witness;
  }
  EXPECT_EQ(read("argv"), "run build\n");
  EXPECT_EQ(read("cwd"), root_ + "\n");
  EXPECT_EQ(feed(), (std::vector<std::string>{"preparing", "connecting", "running", "stopped"}));
  const run::Record runtime = find(*RunId::parse(end.runs.at(Stage::runtime)));
  EXPECT_EQ(runtime.kind, kRuntime);
  EXPECT_EQ(runtime.parent_run_id, latest().id.view());
  EXPECT_EQ(runtime.trace_id, latest().trace_id);
  EXPECT_EQ(latest().state, run::State::completed);
  EXPECT_EQ(end.runs.size(), 5u);
}

struct Broken {
  std::string name;
  Stage stage;
  std::string script;
  std::string code;
  run::State state = run::State::failed;
};

class BrokenStep : public PlayTest, public ::testing::WithParamInterface<Broken> {};

// P1: a step that fails, in any way, ends the preparation, and no further step starts.
TEST_P(BrokenStep, EndsThePreparation) {
  const Broken& broken = GetParam();
  const auto at = [&](Stage stage, const char* well) {
    return broken.stage == stage ? broken.script : well;
  };
  toml(at(Stage::build, "touch built"), at(Stage::validation, "touch validated"),
       at(Stage::pack, "touch packed"));
  play();
  const PlaySession end = until_rest();
  EXPECT_EQ(end.state, State::prepare_failed);
  EXPECT_EQ(end.stage, broken.stage);
  EXPECT_EQ(end.code, broken.code) << end.message;
  EXPECT_EQ(exists("built"), broken.stage > Stage::build);
  EXPECT_EQ(exists("validated"), broken.stage > Stage::validation);
  EXPECT_FALSE(exists("packed"));
  EXPECT_FALSE(exists("build/manifest.json"));
  EXPECT_FALSE(exists("argv"));
  EXPECT_EQ(latest().state, broken.state);
  EXPECT_EQ(feed(), (std::vector<std::string>{"preparing", "prepare_failed"}));
  EXPECT_FALSE(play().ignored);  // P6: a new play starts.
  until_rest();
}

std::vector<Broken> broken_steps() {
  std::vector<Broken> all;
  for (const auto stage : {Stage::build, Stage::validation, Stage::pack}) {
    all.push_back({"exit", stage, "exit 3", "exit_nonzero"});
    all.push_back({"signal", stage, "kill -9 $$", "signaled"});
    all.push_back({"notfound", stage, "exec /nothing/there", "exit_nonzero"});
  }
  all.push_back({"blocked", Stage::validation,
                 R"(echo "{\"severity\":\"error\",\"message\":\"no exit\",\"blocking\":true}")",
                 "blocked"});
  return all;
}

INSTANTIATE_TEST_SUITE_P(Steps, BrokenStep, ::testing::ValuesIn(broken_steps()),
                         [](const auto& info) {
                           std::string stage(name(info.param.stage));
                           std::erase(stage, '-');
                           return stage + "_" + info.param.name;
                         });

// A step that exceeds its timeout is killed, and the preparation fails.
TEST_F(PlayTest, FailsWhenAStepTimesOut) {
  write(root_ + "/drover.toml",
        "[project]\nid = \"game\"\n[play]\n"
        "build = { command = [\"sleep\", \"1000\"], timeout = \"20ms\" }\n");
  play();
  const PlaySession end = until_rest();
  EXPECT_EQ(end.state, State::prepare_failed);
  EXPECT_EQ(end.code, "timeout") << end.message;
  EXPECT_EQ(latest().state, run::State::timed_out);
}

// A missing or invalid drover.toml is reported as such.
TEST_F(PlayTest, ReportsAnInvalidProjectFile) {
  write(root_ + "/drover.toml", "[project\n");
  play();
  EXPECT_EQ(until_rest().state, State::prepare_failed);
  EXPECT_EQ(session().code, "bad_project") << session().message;
}

// P5: the preflight runs after preparation and before the spawn, has a code for each error, and
// starts nothing if it fails.
TEST_F(PlayTest, ChecksTheSetupBeforeTheSpawn) {
  const std::pair<const char*, const char*> setups[] = {
      {"{}", "runtime_path_missing"},
      {R"({"runtimePath":" "})", "runtime_path_blank"},
      {R"({"runtimePath":7})", "runtime_path_invalid"},
      {R"({"runtimePath":"build"})", "runtime_path_invalid"},
      {R"({"runtimePath":"nothing"})", "runtime_path_not_found"},
      {R"({"runtimePath":"drover.toml"})", "runtime_path_not_executable"}};
  for (const auto& [setup, code] : setups) {
    write(root_ + "/.drover/setup.json", setup);
    play();
    EXPECT_EQ(until_rest().state, State::runtime_failed) << setup;
    EXPECT_EQ(session().code, code) << session().message;
    EXPECT_FALSE(session().runs.contains(Stage::runtime));
    EXPECT_EQ(feed(), (std::vector<std::string>{"preparing", "connecting", "runtime_failed"}));
  }
  EXPECT_FALSE(exists("argv"));
}

// P5: the setup counts as it is when the runtime is about to start, whichever step wrote it.
TEST_F(PlayTest, ReadsTheSetupAfterThePreparation) {
  write(root_ + "/.drover/setup.json", R"({"runtimePath":"nothing"})");
  executable(home_.state + "/droverd",  // The step before the runtime.
             R"(echo '{"runtimePath":"game"}' > .drover/setup.json)");
  play();
  EXPECT_EQ(until_rest().state, State::stopped) << session().message;
  EXPECT_EQ(read("argv"), "run build\n");
  std::filesystem::remove(root_ + "/argv");
  executable(home_.state + "/droverd", "rm .drover/setup.json");
  play();
  EXPECT_EQ(until_rest().code, "runtime_path_missing") << session().message;
  EXPECT_FALSE(exists("argv"));
}

// P5: a runtime that passes the preflight and still cannot be executed fails the play.
TEST_F(PlayTest, FailsWhenTheSpawnFails) {
  write(root_ + "/game", "#!/nothing/there\n");
  play();
  EXPECT_EQ(until_rest().state, State::runtime_failed);
  EXPECT_EQ(session().code, "spawn_failed") << session().message;
}

// P8: a runtime that ends without a Stop, other than with exit code 0, is a failure.
TEST_F(PlayTest, FailsWhenTheRuntimeFails) {
  executable(root_ + "/game", "exit 4");
  play();
  EXPECT_EQ(until_rest().state, State::runtime_failed);
  EXPECT_EQ(session().code, "exit_nonzero");
  EXPECT_EQ(latest().exit_code, 4);
  EXPECT_EQ(feed().back(), "runtime_failed");
}

// P4: the runtime starts even if there is no manifest.
TEST_F(PlayTest, StartsTheRuntimeWithoutAManifest) {
  executable(home_.state + "/droverd", "true");
  play();
  EXPECT_EQ(until_rest().state, State::stopped);
  EXPECT_FALSE(exists("build/manifest.json"));
  EXPECT_TRUE(exists("argv"));
}

// P6, P7: during preparation, Play and Stop are ignored with a reason, and none of its runs can be
// canceled. While the runtime runs, Play is ignored.
TEST_F(PlayTest, IgnoresPlayAndStopWhilePreparing) {
  EXPECT_TRUE(stop().ignored);
  barrier("wait");
  barrier("go");
  toml("read x < go", "true", "true");
  play();
  const RunId build = child(Stage::build);
  EXPECT_TRUE(play().ignored);
  EXPECT_NE(play().why.find(latest().id.view()), std::string::npos);
  EXPECT_TRUE(stop().ignored);
  EXPECT_EQ(cancel(build), dispatch::CancelOutcome::not_cancellable);
  EXPECT_EQ(cancel(latest().id), dispatch::CancelOutcome::not_cancellable);
  let("go");
  until_state(State::running);
  EXPECT_TRUE(play().ignored);
  EXPECT_FALSE(stop().ignored);
  EXPECT_EQ(until_rest().state, State::stopped);
  EXPECT_EQ(latest().state, run::State::canceled);
  EXPECT_TRUE(stop().ignored);
}

// P7: canceling the runtime's run is a Stop, and kills it, whatever grace was asked for.
TEST_F(PlayTest, CancelingTheRuntimeIsStop) {
  executable(root_ + "/game", "trap '' TERM; echo up > up; while :; do sleep 1000; done");
  play();
  const RunId runtime = child(Stage::runtime);
  until_state(State::running);
  EXPECT_EQ(cancel(runtime, 3'600'000), dispatch::CancelOutcome::cancel_requested);
  EXPECT_EQ(until_rest().state, State::stopped);
  EXPECT_EQ(find(runtime).signal, 9);
}

// P1: a blocking line counts as a whole line of standard output, even with standard error in the
// middle of it, and without a newline at its end.
TEST_F(PlayTest, ReadsABlockingLineByStream) {
  const std::string output = home_.runs() + "/$DROVER_RUN_ID/output";
  toml("true",
       R"(printf "{\"severity\":\"error\","; echo noise >&2; )"
       "until grep -q noise " +
           output + "; do sleep 0.01; done; " +
           R"(printf "\"message\":\"no exit\",\"blocking\":true}")",
       "touch packed");
  play();
  EXPECT_EQ(until_rest().code, "blocked") << session().message;
  EXPECT_FALSE(exists("packed"));
}

// P1: if part of a validation's output was rotated away, the pack is blocked.
TEST_F(PlayTest, BlocksThePackIfOutputIsMissing) {
  toml("true",
       "rm -f said; (echo harmless; echo fine >&2); cd " + home_.runs() +
           "; until [ \"$(cat $DROVER_RUN_ID/output 2>&1 | wc -l)\" -eq 2 ]; do sleep 0.01; done"
           "; : > $DROVER_RUN_ID/output",
       "touch packed");
  play();
  EXPECT_EQ(until_rest().state, State::prepare_failed);
  EXPECT_EQ(session().stage, Stage::validation);
  EXPECT_EQ(session().code, "validation_incomplete") << session().message;
  EXPECT_FALSE(exists("packed"));
}

// P1: if the keeper died before it wrote the receipt, the output may be incomplete, and the pack is
// blocked.
TEST_F(PlayTest, BlocksThePackWithoutAReceipt) {
  barrier("go");
  toml("true", "read x < go", "touch packed");
  play();
  const RunId validation = child(Stage::validation);
  until_true([&] { return find(validation).state == run::State::running; });
  const run::Ended ended{.id = validation, .ending = run::Exited{0}};
  ASSERT_TRUE(world_->await(world_->spine.record(run::Fact(ended))));
  EXPECT_EQ(until_rest().code, "validation_incomplete") << session().message;
  EXPECT_FALSE(exists("packed"));
  let("go");  // Recorded as finished, so nothing else would kill it.
}

// P7: while the store cannot write, Stop ends the runtime all the same; the play ends with it.
TEST_F(PlayTest, StopsOnAFullDisk) {
  barrier("wait");
  play();
  until_state(State::running);
  const RunId runtime = child(Stage::runtime);
  until(runtime, [](const run::Record& r) { return r.state == run::State::running; });
  breaking_.break_writes(true);
  EXPECT_FALSE(stop().ignored);
  until_true([&] {
    const auto journal = read_journal_state(home_.run_file(runtime));
    return journal && journal->liveness != Liveness::alive;
  });
  breaking_.break_writes(false);
  until_rest();
  EXPECT_EQ(find(runtime).state, run::State::canceled);
}

// R15: secrets in a validation's output are redacted.
TEST_F(PlayTest, RedactsSecrets) {
  toml("true",
       R"(echo "{\"message\":\"bad $API_TOKEN\",\"severity\":\"error\",\"blocking\":true}")",
       "true");
  auto answer = world_->await(
      plays_->play(project_, {"PATH=/usr/bin:/bin", "API_TOKEN=hunter2-very-secret"}));
  ASSERT_TRUE(answer);
  EXPECT_EQ(until_rest().code, "blocked");
  EXPECT_EQ(latest().phase.find("hunter2"), std::string::npos) << latest().phase;
  EXPECT_EQ(latest().message.find("hunter2"), std::string::npos) << latest().message;
}

}  // namespace
}  // namespace drover::play
