// A Game is a project of a test's own in a Flock, with a runtime that leaves witnesses: what it was
// called with and where, and a lock that nobody else may hold while it runs. It is played over the
// daemon's socket, which is faster than the command line, and by several at once.
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
  // `directory` is the name of its root, whatever bytes it has.
  explicit Game(const std::string& directory);

  // Three steps that each leave a witness (built, validated, packed) and say so; `toml` replaces
  // what stands under [play].
  void write_project(const std::string& toml = {});
  static std::string step(const std::string& name, const std::string& script);
  // The runtime: a script for /bin/sh, with the witnesses of argv and cwd already taken.
  void write_runtime(const std::string& script);
  void write(const std::string& name, const std::string& text) const;
  std::string read(const std::string& name) const;
  bool exists(const std::string& name) const;
  std::string path(const std::string& name) const { return root_ + "/" + name; }
  // A named pipe at which a script waits (`read x < NAME`) until `let` opens it.
  void barrier(const std::string& name) const;
  void let(const std::string& name) const;

  race::Client connect() const { return race::Client(flock_.home().socket()); }
  void add();
  race::Answer post(const std::string& what, const std::string& body = "{}") const;
  race::Answer play() const { return post("play"); }
  race::Answer stop() const { return post("stop"); }
  boost::json::object session(const std::string& query = "") const;
  boost::json::object until_rest() const { return session("?wait=60s"); }
  boost::json::object until_state(const std::string& state) const;
  // As soon as the run of that stage is in that state; its id.
  std::string until_child(const std::string& stage, const std::string& state) const;
  // Of the feed, "state" or "state step code" where there is a code; of the latest play.
  std::vector<std::string> feed() const;
  // The log, "source│text".
  std::vector<std::string> log() const;
  boost::json::object record(const std::string& id) const;

  Flock flock_;
  std::string root_;
};

}  // namespace drover::tests
