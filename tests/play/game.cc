#include "tests/play/game.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>

#include "base/text.h"

namespace drover::tests {

namespace json = boost::json;
namespace {

class Deadline {
 public:
  bool is_used_up() const { return std::chrono::steady_clock::now() > end_; }

 private:
  // Reached only because of a bug.
  std::chrono::steady_clock::time_point end_ =
      std::chrono::steady_clock::now() + std::chrono::seconds(60);
};

}  // namespace

Game::Game(const std::string& directory) : root_(flock_.file(directory)) {
  std::filesystem::create_directories(root_ + "/.drover");
  write_project();
  write_runtime("exit 0");
  flock_.daemon();
}

std::string Game::step(const std::string& name, const std::string& script) {
  return "[play." + name + "]\nshell = '''" + script + "'''\n";
}

void Game::write_project(const std::string& toml) {
  const std::string steps =
      toml.empty() ? step("build", "mkdir -p build; echo building; touch built") +
                         step("validate", "echo validating; touch validated") +
                         step("pack", "echo packing >&2; echo packed > build/all; touch packed")
                   : toml;
  write("drover.toml", "[project]\nid = \"game\"\n" + steps);
}

void Game::write_runtime(const std::string& script) {
  // Written to a temporary file and renamed: a script that is being executed must not be written
  // to.
  write("runtime.new",
        "#!/bin/sh\nprintf '%s\\0' \"$0\" \"$@\" > argv; pwd > cwd\n" + script + "\n");
  std::filesystem::permissions(path("runtime.new"), std::filesystem::perms::owner_all);
  std::filesystem::rename(path("runtime.new"), path("runtime"));
  write(".drover/setup.json", R"({"runtimePath":"runtime"})");
}

void Game::write(const std::string& name, const std::string& text) const {
  std::ofstream(path(name)) << text;
}

std::string Game::read(const std::string& name) const {
  return read_file(path(name), 1 << 20).value_or("");
}

bool Game::exists(const std::string& name) const {
  return std::filesystem::exists(path(name));
}

void Game::barrier(const std::string& name) const {
  ASSERT_EQ(::mkfifo(path(name).c_str(), 0600), 0);
}

void Game::let(const std::string& name) const {
  write(name, "go\n");
}

void Game::add() {
  const json::value root =
      is_utf8(root_) ? json::value(json::string(root_)) : json::object{{"base64", base64(root_)}};
  const auto answer =
      connect().ask("POST", "/api/projects", json::serialize(json::object{{"root", root}}));
  ASSERT_EQ(answer.status, 200) << json::serialize(answer.body);
}

race::HttpAnswer Game::post(const std::string& what, const std::string& body) const {
  return connect().ask("POST", "/api/projects/game/" + what, body);
}

json::object Game::session(const std::string& query) const {
  const auto answer = connect().ask("GET", "/api/projects/game/session" + query);
  EXPECT_EQ(answer.status, 200) << json::serialize(answer.body);
  return answer.body;
}

json::object Game::until_state(const std::string& state) const {
  constexpr std::chrono::seconds kPatience{60};  // Only ever reached by a bug.
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  // Checks the state at first, and again after every event of the play.
  const race::Client news = connect();
  const std::string id = text_of(session(), "run_id");
  EXPECT_TRUE(write_all(news.fd(), "GET /api/runs/" + id +
                                       "/events?follow=true&after=0 HTTP/1.1\r\nHost: d\r\n\r\n"));
  for (char buffer[8192];;) {
    json::object now = session();
    const std::string is = text_of(now, "state");
    if (is == state) return now;
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    pollfd ready{.fd = news.fd(), .events = POLLIN, .revents = 0};
    const bool over = is.ends_with("failed") || is == "stopped" || left.count() <= 0 ||
                      ::poll(&ready, 1, static_cast<int>(left.count())) <= 0 ||
                      ::read(news.fd(), buffer, sizeof buffer) <= 0;
    if (over) {
      ADD_FAILURE() << "the session did not become " << state << ": " << json::serialize(now);
      return now;
    }
  }
}

std::string Game::until_child(const std::string& stage, const std::string& state) const {
  const Deadline patience;
  for (;;) {
    const json::object now = session();
    const std::string id = text_of(now.at("runs").as_object(), stage);
    const std::string is = id.empty() ? "not there" : text_of(record(id), "state");
    if (is == state) return id;
    if (patience.is_used_up()) {
      ADD_FAILURE() << stage << " did not become " << state << " but is " << is << ": "
                    << json::serialize(now);
      return id;
    }
  }
}

std::vector<std::string> Game::feed() const {
  const auto answer = connect().ask("GET", "/api/projects/game/feed");
  const std::string latest = text_of(session(), "run_id");
  std::vector<std::string> out;
  for (const json::value& value : answer.body.at("entries").as_array()) {
    const json::object& entry = value.as_object();
    if (text_of(entry, "run_id") != latest) continue;
    const std::string code = text_of(entry, "code");
    out.push_back(text_of(entry, "state") +
                  (code.empty() ? "" : " " + text_of(entry, "step") + " " + code));
  }
  return out;
}

std::vector<std::string> Game::log() const {
  race::Client client = connect();
  client.send("GET /api/projects/game/log?follow=true HTTP/1.1\r\nHost: d\r\n\r\n");
  std::vector<std::string> out;
  std::string text = client.take_stream();
  constexpr std::string_view kMark = "event: play.log\ndata: ";
  for (size_t at = text.find(kMark); at != std::string::npos; at = text.find(kMark, at)) {
    at += kMark.size();
    const auto entry = json::parse(text.substr(at, text.find('\n', at) - at)).as_object();
    out.push_back(text_of(entry, "source") + "│" + text_of(entry, "text"));
  }
  return out;
}

json::object Game::record(const std::string& id) const {
  return connect().ask("GET", "/api/runs/" + id).body;
}

}  // namespace drover::tests
