// A Game is a test's own project in a Flock. Its runtime writes down its arguments and directory,
// and a lock that only one runtime may hold. It is played through the daemon's socket, which is
// faster than the command line, and from several threads.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/harness.h"
#include "tests/race/client.h"

namespace drover::tests {

class Game : public ::testing::Test {
 protected:
  Game() : Game("game") {}
  // `directory` is the name of its root, which may have any bytes.
  explicit Game(const std::string& directory);

  // Three steps that each create a file (built, validated, packed) and print a line; `toml`
  // replaces the content of [play].
  void write_project(const std::string& toml = {});
  static std::string step(const std::string& name, const std::string& script);
  // The runtime: a script for /bin/sh, after it has written argv and cwd to files.
  void write_runtime(const std::string& script);
  void write(const std::string& name, const std::string& text) const;
  std::string read(const std::string& name) const;
  bool exists(const std::string& name) const;
  std::string path(const std::string& name) const { return root_ + "/" + name; }
  // A named pipe that a script waits for (`read x < NAME`) until `let` opens it.
  void barrier(const std::string& name) const;
  void let(const std::string& name) const;

  race::Client connect() const { return race::Client(flock_.home().socket()); }
  void add();
  race::HttpAnswer post(const std::string& what, const std::string& body = "{}") const;
  race::HttpAnswer play() const { return post("play"); }
  race::HttpAnswer stop() const { return post("stop"); }
  boost::json::object session(const std::string& query = "") const;
  boost::json::object until_rest() const { return session("?wait=60s"); }
  boost::json::object until_state(const std::string& state) const;
  // Waits until the run of that stage is in that state; returns its id.
  std::string until_child(const std::string& stage, const std::string& state) const;
  // The feed of the latest play: "state", or "state step code" if there is a code.
  std::vector<std::string> feed() const;
  // The log as "source│text".
  std::vector<std::string> log() const;
  boost::json::object record(const std::string& id) const;

  Flock flock_;
  std::string root_;
};

}  // namespace drover::tests
