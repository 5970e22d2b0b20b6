// Secrets are planted in every input, and then searched for in every output.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/cli/access_fixture.h"
#include "tests/every_operation.h"

namespace drover::tests {

namespace fs = std::filesystem;

inline std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

class Secrets : public Access {
 protected:
  Secrets() { flock_.environment["DROVER_LISTEN"] = "127.0.0.1:0"; }

  // Remembers a secret that must not appear, and returns it.
  const std::string& plant(const std::string& where, const std::string& secret) {
    return planted_[where] = secret;
  }
  void expect_none(const std::string& text, const std::string& where) {
    ++looked_at_;
    for (const auto& [name, secret] : planted_) {
      // Half of a secret must not appear either.
      const std::string part = secret.substr(secret.size() / 2);
      const size_t at = text.find(part);
      EXPECT_EQ(at, std::string::npos)
          << name << " is in " << where << ": " << text.substr(at < 80 ? 0 : at - 80, 200);
    }
  }

  // Calls every reading operation of the API, for all runs and for each: made from the list of
  // operations.
  void look_at_answers(const std::vector<std::string>& ids) {
    for (const wire::Operation* each : tests::every_operation()) {
      const wire::Operation& operation = *each;
      if (operation.method != "GET") continue;
      for (const std::string& id : ids) {
        std::string path(operation.path);
        const size_t hole = path.find('{');
        if (hole != std::string::npos) path.replace(hole, path.find('}') + 1 - hole, id);
        const Reply reply = ask({.target = path});
        expect_none(reply.head + reply.body, path);
        if (hole == std::string::npos) break;
      }
    }
    for (const std::string& id : ids) {
      for (const char* rest : {"/events?follow=true&output=true&after=0", "/logs?format=ndjson",
                               "?live=true", "?final=true&wait=1ms", "/why"}) {
        if (text_of(flock_.show(id), "state") == "running" && *rest == '/') continue;
        expect_none(ask({.target = "/api/runs/" + id + rest}).body, rest);
      }
    }
  }

  // Runs every command that prints something.
  void look_at_commands(const std::vector<std::string>& ids) {
    std::vector<std::vector<std::string>> all{{"ps", "-a"},
                                              {"ps", "-a", "--json"},
                                              {"export"},
                                              {"events"},
                                              {"export", "--format", "csv"},
                                              {"events", "--json"},
                                              {"status"},
                                              {"status", "--json"},
                                              {"token", "ls", "-a"},
                                              {"doctor", "--json"},
                                              {"doctor", "--verify"},
                                              {"lane", "ls"},
                                              {"config"}};
    for (const std::string& id : ids) {
      for (const char* word : {"show", "why"}) {
        all.push_back({word, id});
        all.push_back({word, id, "--json"});
      }
    }
    for (const auto& words : all) {
      const Output output = flock_.drover(words);
      expect_none(output.out + output.err, "drover " + words[0]);
    }
  }

  // Searches every file of the home except those that store secrets: the owner's token, and the
  // runs' own files.
  void look_at_files() {
    for (const auto& entry : fs::recursive_directory_iterator(flock_.home().state + "/..")) {
      if (!entry.is_regular_file()) continue;
      const fs::path& path = entry.path();
      if (path == fs::path(flock_.home().owner_token()) || path.filename() == "owner.token" ||
          path.extension() == ".run") {
        EXPECT_EQ(fs::status(path).permissions() & (fs::perms::group_all | fs::perms::others_all),
                  fs::perms::none)
            << path;
        continue;
      }
      expect_none(content_of(path), path.string());
      expect_none(path.string(), "a name");
    }
  }

  // Searches what other processes can see: the environment of another run's child, and the
  // arguments, environments and core dump settings of our processes.
  void look_at_processes(const std::string& living) {
    const std::string dump =
        flock_.ok({"run", "--", "/bin/sh", "-c", "tr '\\0' '\\n' < /proc/self/environ; pwd"});
    std::string seen;
    std::istringstream lines(dump);
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with("DROVER_TOKEN=")) seen += line + "\n";  // Its own token.
    }
    expect_none(seen, "the environment of a child");
    for (const pid_t pid : {flock_.daemon(), flock_.cradle(), flock_.keeper_of(living)}) {
      const std::string place = "/proc/" + std::to_string(pid);
      expect_none(content_of(place + "/environ"), "the environment of a program of ours");
      expect_none(content_of(place + "/cmdline"), "the arguments of a program of ours");
      expect_none(fs::read_symlink(place + "/cwd").string(),
                  "the directory where it would leave a core dump");
    }
  }

  std::map<std::string, std::string> planted_;
  int looked_at_ = 0;
};

}  // namespace drover::tests
