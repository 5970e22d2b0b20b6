// The Director with a real dispatcher and real commands: every way a play can go, and every moment
// at which another daemon may have to go on with it.
#include "stage/director.h"

#include <filesystem>
#include <fstream>

#include "base/fd.h"
#include "dispatch/dispatcher_fixture.h"

namespace drover::stage {
namespace {

using session::State;

class DirectorTest : public dispatch::RunDispatcherTest {
 protected:
  void SetUp() override {
    RunDispatcherTest::SetUp();
    std::filesystem::create_directories(root_ + "/build");
    std::filesystem::create_directories(root_ + "/.drover");
    script(home_.state + "/droverd", "echo made > \"$2/build/manifest.json\"; echo manifest");
    script(root_ + "/game", "echo \"$@\" > argv; pwd > cwd; [ -e wait ] && read x < wait; exit 0");
    write(root_ + "/.drover/setup.json", R"({"runtimePath":"game"})");
    toml("touch built", "touch validated", "touch packed");
    open_director();
  }
  void TearDown() override {
    director_.reset();
    RunDispatcherTest::TearDown();
  }

  void open_director() {
    director_.emplace(world_->loop.get_executor(), home_, home_.state, clock_, breaking_,
                      world_->bell, world_->dispatcher);
    ASSERT_TRUE(director_->resume());
  }
  // Another daemon over the same home and store.
  void restart() {
    director_.reset();
    reopen_world();
    open_director();
  }

  static void write(const std::string& path, const std::string& text) {
    std::ofstream(path) << text;
  }
  static void script(const std::string& path, const std::string& text) {
    write(path, "#!/bin/sh\n" + text + "\n");
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  }
  void toml(const std::string& build, const std::string& validate, const std::string& pack) {
    write(root_ + "/drover.toml", "[project]\nid = \"game\"\n[play]\nbuild = '" + build +
                                      "'\nvalidate = '" + validate + "'\npack = '" + pack + "'\n");
  }
  std::string read(const std::string& name) {
    return read_file(root_ + "/" + name, 10'000).value_or("");
  }
  bool exists(const std::string& name) { return std::filesystem::exists(root_ + "/" + name); }
  // A place where a command waits until it is let go on.
  void barrier(const std::string& name) {
    ASSERT_EQ(::mkfifo((root_ + "/" + name).c_str(), 0600), 0);
  }
  void let(const std::string& name) { write(root_ + "/" + name, "go\n"); }

  Pressed play() {
    auto pressed = world_->await(director_->play(project_, {"PATH=/usr/bin:/bin"}));
    EXPECT_TRUE(pressed) << pressed.error().message;
    return pressed ? *pressed : Pressed{};
  }
  Pressed stop() {
    auto pressed = world_->await(director_->stop(project_));
    EXPECT_TRUE(pressed) << pressed.error().message;
    return pressed ? *pressed : Pressed{};
  }
  run::Record latest() {
    auto found = director_->latest(project_.id);
    return found && *found ? **found : run::Record{};
  }
  session::Session session() { return session::parse_session(latest().session).value(); }
  session::Session until_state(State state) {
    until_true([&] { return session().state == state; });
    return session();
  }
  session::Session until_rest() {
    until_true([&] { return session::is_at_rest(session().state); });
    return session();
  }
  RunId child(session::Stage stage) {
    until_true([&] { return session().runs.contains(stage); });
    return *RunId::parse(session().runs.at(stage));
  }
  std::vector<std::string> feed() {
    std::vector<std::string> out;
    for (const run::Event& event : store_.events({.run = latest().id}).value()) {
      if (event.type != "play.changed") continue;
      out.emplace_back(session::name(session::parse_session(event.data).value().state));
    }
    return out;
  }

  std::string root_ = folder_.file("a project, \"quoted\"\nand on two lines \xff");
  store::Project project_{.id = "game", .root = root_, .added_at = 1};
  std::optional<Director> director_;
};

// P1, P3, P8: everything in order, the runtime with exactly its words in the project's root, and
// one entry of the feed for each change.
TEST_F(DirectorTest, PlaysAProject) {
  EXPECT_FALSE(play().ignored);
  const session::Session end = until_rest();
  EXPECT_EQ(end.state, State::stopped);
  for (const char* witness : {"built", "validated", "packed", "build/manifest.json"}) {
    EXPECT_TRUE(exists(witness)) << witness;
  }
  EXPECT_EQ(read("argv"), "run build\n");
  EXPECT_EQ(read("cwd"), root_ + "\n");
  EXPECT_EQ(feed(), (std::vector<std::string>{"preparing", "connecting", "running", "stopped"}));
  const run::Record runtime = find(*RunId::parse(end.runs.at(session::Stage::runtime)));
  EXPECT_EQ(runtime.kind, run::kRuntime);
  EXPECT_EQ(runtime.parent_run_id, latest().id.view());
  EXPECT_EQ(runtime.trace_id, latest().trace_id);
  EXPECT_EQ(latest().state, run::State::completed);
  EXPECT_EQ(end.runs.size(), 5u);
}

struct Broken {
  std::string name;
  session::Stage stage;
  std::string script;
  std::string code;
  run::State state = run::State::failed;
};

class BrokenStep : public DirectorTest, public ::testing::WithParamInterface<Broken> {};

// P1: what fails ends the preparation, however it fails, and nothing comes after it.
TEST_P(BrokenStep, EndsThePreparation) {
  const Broken& broken = GetParam();
  const auto at = [&](session::Stage stage, const char* well) {
    return broken.stage == stage ? broken.script : well;
  };
  toml(at(session::Stage::build, "touch built"), at(session::Stage::validation, "touch validated"),
       at(session::Stage::pack, "touch packed"));
  play();
  const session::Session end = until_rest();
  EXPECT_EQ(end.state, State::prepare_failed);
  EXPECT_EQ(end.stage, broken.stage);
  EXPECT_EQ(end.code, broken.code) << end.message;
  EXPECT_EQ(exists("built"), broken.stage > session::Stage::build);
  EXPECT_EQ(exists("validated"), broken.stage > session::Stage::validation);
  EXPECT_FALSE(exists("packed"));
  EXPECT_FALSE(exists("build/manifest.json"));
  EXPECT_FALSE(exists("argv"));
  EXPECT_EQ(latest().state, broken.state);
  EXPECT_EQ(feed(), (std::vector<std::string>{"preparing", "prepare_failed"}));
  EXPECT_FALSE(play().ignored);  // P6: afresh.
  until_rest();
}

std::vector<Broken> broken_steps() {
  std::vector<Broken> all;
  for (const auto stage :
       {session::Stage::build, session::Stage::validation, session::Stage::pack}) {
    all.push_back({"exit", stage, "exit 3", "exit_nonzero"});
    all.push_back({"signal", stage, "kill -9 $$", "signaled"});
    all.push_back({"notfound", stage, "exec /nothing/there", "exit_nonzero"});
  }
  all.push_back({"blocked", session::Stage::validation,
                 R"(echo "{\"severity\":\"error\",\"message\":\"no exit\",\"blocking\":true}")",
                 "blocked"});
  return all;
}

INSTANTIATE_TEST_SUITE_P(Steps, BrokenStep, ::testing::ValuesIn(broken_steps()),
                         [](const auto& info) {
                           std::string stage(session::name(info.param.stage));
                           std::erase(stage, '-');
                           return stage + "_" + info.param.name;
                         });

// A step that takes too long is ended, and so is the preparation.
TEST_F(DirectorTest, AStepTimesOut) {
  write(root_ + "/drover.toml",
        "[project]\nid = \"game\"\n[play]\n"
        "build = { command = [\"sleep\", \"1000\"], timeout = \"20ms\" }\n");
  play();
  const session::Session end = until_rest();
  EXPECT_EQ(end.state, State::prepare_failed);
  EXPECT_EQ(end.code, "timeout") << end.message;
  EXPECT_EQ(latest().state, run::State::timed_out);
}

// What is no project, or no longer one, is said so.
TEST_F(DirectorTest, ABadProjectFile) {
  write(root_ + "/drover.toml", "[project\n");
  play();
  EXPECT_EQ(until_rest().state, State::prepare_failed);
  EXPECT_EQ(session().code, "bad_project") << session().message;
}

// P5: after preparation, before the spawn, with a code for each; nothing is started.
TEST_F(DirectorTest, Preflight) {
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
    EXPECT_FALSE(session().runs.contains(session::Stage::runtime));
    EXPECT_EQ(feed(), (std::vector<std::string>{"preparing", "connecting", "runtime_failed"}));
  }
  EXPECT_FALSE(exists("argv"));
}

// P5: what looks right and yet cannot be exec'd.
TEST_F(DirectorTest, TheSpawnHasTheLastWord) {
  write(root_ + "/game", "#!/nothing/there\n");
  play();
  EXPECT_EQ(until_rest().state, State::runtime_failed);
  EXPECT_EQ(session().code, "spawn_failed") << session().message;
}

// P8: any end of the runtime that nobody asked for, but 0, is a failure.
TEST_F(DirectorTest, ARuntimeThatFails) {
  script(root_ + "/game", "exit 4");
  play();
  EXPECT_EQ(until_rest().state, State::runtime_failed);
  EXPECT_EQ(session().code, "exit_nonzero");
  EXPECT_EQ(latest().exit_code, 4);
  EXPECT_EQ(feed().back(), "runtime_failed");
}

// P4: nobody looks for the manifest.
TEST_F(DirectorTest, ARuntimeWithoutAManifest) {
  script(home_.state + "/droverd", "true");
  play();
  EXPECT_EQ(until_rest().state, State::stopped);
  EXPECT_FALSE(exists("build/manifest.json"));
  EXPECT_TRUE(exists("argv"));
}

// P6, P7: while it is prepared, Play and Stop are ignored and say so, and nothing of it can be
// canceled; while it runs, Play is.
TEST_F(DirectorTest, IgnoresWhatItMust) {
  EXPECT_TRUE(stop().ignored);
  barrier("wait");
  barrier("go");
  toml("read x < go", "true", "true");
  play();
  const RunId build = child(session::Stage::build);
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

// P7: canceling the runtime's run is Stop, and it is killed whatever patience is asked for.
TEST_F(DirectorTest, CancelingTheRuntimeIsStop) {
  script(root_ + "/game", "trap '' TERM; echo up > up; while :; do sleep 1000; done");
  play();
  const RunId runtime = child(session::Stage::runtime);
  until_state(State::running);
  EXPECT_EQ(cancel(runtime, 3'600'000), dispatch::CancelOutcome::cancel_requested);
  EXPECT_EQ(until_rest().state, State::stopped);
  EXPECT_EQ(find(runtime).signal, 9);
}

// P8: another daemon goes on with a play in every state it can be in, and Stop still works.
TEST_F(DirectorTest, SurvivesARestartInEveryState) {
  barrier("wait");
  barrier("go");
  toml("echo x >> builds; read x < go", "true", "true");
  play();
  child(session::Stage::build);
  restart();
  EXPECT_EQ(session().state, State::preparing);
  EXPECT_TRUE(play().ignored);
  let("go");
  until_state(State::running);
  const std::string runtime = session().runs.at(session::Stage::runtime);
  restart();
  EXPECT_EQ(session().state, State::running);
  EXPECT_EQ(session().runs.at(session::Stage::runtime), runtime);
  EXPECT_TRUE(play().ignored);
  EXPECT_FALSE(stop().ignored);
  EXPECT_EQ(until_rest().state, State::stopped);
  EXPECT_EQ(read("builds"), "x\n");  // Once, whoever asked for it.
  restart();
  EXPECT_EQ(session().state, State::stopped);
  EXPECT_EQ(feed(), (std::vector<std::string>{"preparing", "connecting", "running", "stopped"}));
}

// A Stop that was written down is carried out by the next daemon, also if no runtime was asked for.
TEST_F(DirectorTest, AStopIsNotForgotten) {
  barrier("wait");
  play();
  until_state(State::running);
  const RunId id = latest().id;
  ASSERT_TRUE(
      world_->await(world_->dispatcher.note(run::CancelRequested{.id = id, .of_any_kind = true})));
  restart();
  EXPECT_EQ(until_rest().state, State::stopped);
  EXPECT_EQ(find(id).state, run::State::canceled);
}

// What was begun is judged as it was begun, whatever became of drover.toml since.
TEST_F(DirectorTest, AStepThatIsNoLongerInTheFile) {
  barrier("go");
  toml("touch built", "read x < go; exit 1", "touch packed");
  play();
  child(session::Stage::validation);
  write(root_ + "/drover.toml", "[project]\nid = \"game\"\n[play]\npack = \"touch packed\"\n");
  restart();
  let("go");
  EXPECT_EQ(until_rest().state, State::prepare_failed);
  EXPECT_FALSE(exists("packed"));
}

// A step that was removed after its end has ended as its evidence says.
TEST_F(DirectorTest, AStepThatWasRemoved) {
  barrier("go");
  barrier("wait");
  toml("touch built", "true", "read x < go");
  play();
  child(session::Stage::pack);
  const RunId build = child(session::Stage::build);
  ASSERT_TRUE(world_->await(world_->dispatcher.remove(build)));
  restart();
  let("go");
  until_state(State::running);
  EXPECT_FALSE(stop().ignored);
  EXPECT_EQ(until_rest().state, State::stopped);
}

// A store that cannot be read for a while is no reason to end anything.
TEST_F(DirectorTest, WaitsForAStoreThatCanBeRead) {
  barrier("go");
  toml("read x < go", "true", "true");
  play();
  child(session::Stage::build);
  breaking_.break_reads(true);
  let("go");
  world_->loop.restart();
  world_->loop.run_for(std::chrono::milliseconds(100));
  breaking_.break_reads(false);
  EXPECT_EQ(until_rest().state, State::stopped);
}

// A Stop whose second half failed is carried out all the same.
TEST_F(DirectorTest, AStopThatBrokeInTheMiddle) {
  barrier("wait");
  play();
  until_state(State::running);
  breaking_.break_write(2, testing::BreakWhen::before);
  EXPECT_FALSE(stop().ignored);
  EXPECT_EQ(until_rest().state, State::stopped);
}

// R15: what a validation blurts out is not passed on.
TEST_F(DirectorTest, SecretsAreTakenOut) {
  toml("true",
       R"(echo "{\"message\":\"bad $API_TOKEN\",\"severity\":\"error\",\"blocking\":true}")",
       "true");
  auto pressed = world_->await(
      director_->play(project_, {"PATH=/usr/bin:/bin", "API_TOKEN=hunter2-very-secret"}));
  ASSERT_TRUE(pressed);
  EXPECT_EQ(until_rest().code, "blocked");
  EXPECT_EQ(latest().session.find("hunter2"), std::string::npos) << latest().session;
  EXPECT_EQ(latest().message.find("hunter2"), std::string::npos) << latest().message;
}

// R18: `stop --kill` ends plays in the middle of a step, and comes to an end itself.
TEST_F(DirectorTest, EndAllEndsPlays) {
  toml("sleep 1000", "true", "true");
  play();
  child(session::Stage::build);
  world_->await([](dispatch::RunDispatcher& dispatcher) -> asio::awaitable<bool> {
    co_await dispatcher.end_all();
    co_return true;
  }(world_->dispatcher));
  EXPECT_EQ(session().state, State::prepare_failed);
  EXPECT_EQ(latest().state, run::State::canceled);
}

// A store that gives way at one write or another, before or after it is written, costs nothing: the
// play goes its way, and each of its runs is there once.
TEST_F(DirectorTest, GoesOnWhateverWriteBreaks) {
  for (const auto when : {testing::BreakWhen::before, testing::BreakWhen::after}) {
    // Each waits for the disk to come back: the odd ones in one way, the even ones in the other.
    for (int n = when == testing::BreakWhen::before ? 1 : 2;; n += 2) {
      breaking_.break_write(n, when);
      const auto pressed = world_->await(director_->play(project_, {"PATH=/usr/bin:/bin"}));
      if (!pressed) {  // Nobody was promised anything.
        EXPECT_EQ(pressed.error().code, ErrorCode::unavailable);
        continue;
      }
      EXPECT_EQ(until_rest().state, State::stopped) << n << ": " << session().message;
      EXPECT_EQ(session().runs.size(), 5u);
      if (!breaking_.broke()) break;
    }
  }
}

}  // namespace
}  // namespace drover::stage
