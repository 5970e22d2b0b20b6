// The whole world of a test of the Director: a real dispatcher with real commands, a project in a
// folder whose name is hardly one, and the store in memory behind one that can be broken. Another
// Director may go on where this one was, as another daemon's does.
#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "base/fd.h"
#include "dispatch/dispatcher_fixture.h"
#include "stage/director.h"

namespace drover::stage {

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
    ASSERT_TRUE(world_->await(world_->dispatcher.add_project(project_)));
    open_director();
  }
  void TearDown() override {
    director_.reset();
    RunDispatcherTest::TearDown();
  }

  void open_director() {
    director_.emplace(world_->loop.get_executor(), home_, home_.state, breaking_, world_->bell,
                      world_->dispatcher, clock_);
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
    auto found = director_->latest(project_);
    return found && *found ? **found : run::Record{};
  }
  session::Session session() { return session::parse_session(latest().session).value(); }
  session::Session until_state(session::State state) {
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

}  // namespace drover::stage
