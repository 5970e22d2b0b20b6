// The fixture of the play tests: a real dispatcher with real commands, a project in a directory
// with an unusual name, and a store that can be made to fail. A second Conductor can continue where
// the first one stopped, as after a restart of the daemon.
#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "base/fd.h"
#include "conduct/conductor.h"
#include "dispatch/dispatcher_fixture.h"
#include "play/kinds.h"
#include "play/plays.h"
#include "play/script.h"

namespace drover::play {

inline store::sqlite::Options with_plays() {
  static const std::array<std::span<const run::Kind>, 1> kRooms{kKinds};
  static const run::Kinds kinds(kRooms);
  return {.kinds = &kinds, .rooms = {kTables}};
}

class PlayTest : public dispatch::RunDispatcherTest {
 protected:
  PlayTest() : RunDispatcherTest(with_plays()) {}

  void SetUp() override {
    RunDispatcherTest::SetUp();
    std::filesystem::create_directories(root_ + "/build");
    std::filesystem::create_directories(root_ + "/.drover");
    executable(home_.state + "/droverd", "echo made > \"$2/build/manifest.json\"; echo manifest");
    executable(root_ + "/game",
               "echo \"$@\" > argv; pwd > cwd; [ -e wait ] && read x < wait; exit 0");
    write(root_ + "/.drover/setup.json", R"({"runtimePath":"game"})");
    toml("touch built", "touch validated", "touch packed");
    ASSERT_TRUE(world_->await(world_->spine.record(add_project(project_))));
    open_conductor();
  }
  void TearDown() override {
    plays_.reset();
    conductor_.reset();
    RunDispatcherTest::TearDown();
  }

  void open_conductor() {
    const spine::Recorder record = [this](store::Write write) {
      return world_->spine.record(std::move(write));
    };
    conductor_.emplace(conduct::Parts{.loop = world_->loop.get_executor(),
                                      .home = home_,
                                      .programs = home_.state,
                                      .reads = world_->reads,
                                      .bell = world_->bell,
                                      .dispatcher = world_->dispatcher,
                                      .record = record,
                                      .kinds = *options_.kinds},
                       std::vector<conduct::Script>{script(home_, home_.state)});
    ASSERT_TRUE(world_->await(conductor_->resume()));
    plays_.emplace(world_->reads, world_->dispatcher, record, clock_);
  }
  // Replaces the daemon by another one over the same home and database.
  void restart() {
    plays_.reset();
    conductor_.reset();
    reopen_world();
    open_conductor();
  }
  // Replaces the stored session of a play with `text`; the daemon after restart() reads that.
  void damage_session(const RunId& id, const std::string& text) {
    store_.damage("UPDATE runs SET phase = '" + text + "' WHERE id = '" + id.str() + "'");
  }

  static void write(const std::string& path, const std::string& text) {
    std::ofstream(path) << text;
  }
  static void executable(const std::string& path, const std::string& text) {
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
  // A file that a command waits for until let() releases it.
  void barrier(const std::string& name) {
    ASSERT_EQ(::mkfifo((root_ + "/" + name).c_str(), 0600), 0);
  }
  void let(const std::string& name) { write(root_ + "/" + name, "go\n"); }

  PlayAnswer play() {
    auto answer = world_->await(plays_->play(project_, {"PATH=/usr/bin:/bin"}));
    EXPECT_TRUE(answer) << answer.error().message;
    return answer ? *answer : PlayAnswer{};
  }
  PlayAnswer stop() {
    auto answer = world_->await(plays_->stop(project_));
    EXPECT_TRUE(answer) << answer.error().message;
    return answer ? *answer : PlayAnswer{};
  }
  run::Record latest() {
    auto found = latest_play(store_, project_, clock_.wall_ms());
    return found && *found ? **found : run::Record{};
  }
  PlaySession session() { return parse_session(latest().phase).value(); }
  PlaySession until_state(State state) {
    until_true([&] { return session().state == state; });
    return session();
  }
  PlaySession until_rest() {
    until_true([&] { return is_at_rest(session().state); });
    return session();
  }
  RunId child(Stage stage) {
    until_true([&] { return session().runs.contains(stage); });
    return *RunId::parse(session().runs.at(stage));
  }
  std::vector<std::string> feed() {
    std::vector<std::string> out;
    for (const run::Event& event : store_.events({.run = latest().id}).value()) {
      if (event.type != "play.changed") continue;
      out.emplace_back(name(parse_session(event.data).value().state));
    }
    return out;
  }

  std::string root_ = directory_.file("a project, \"quoted\"\nand on two lines \xff");
  KnownProject project_{.id = "game", .root = root_, .added_at = 1};
  std::optional<conduct::Conductor> conductor_;
  std::optional<Plays> plays_;
};

}  // namespace drover::play
