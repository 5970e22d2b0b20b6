// Projects that attack the user who plays them: steps and runtimes that leave processes behind,
// never end, print diagnostics nobody can read, or remove their own project; a build that is a link
// out of the project. The play ends, and no process of it lives.
#include <gtest/gtest.h>

#include <array>
#include <boost/json/array.hpp>
#include <filesystem>
#include <fstream>

#include "tests/siege/attack.h"

namespace drover::siege {
namespace {

namespace fs = std::filesystem;

struct Project {
  const char* name;
  const char* build;  // Scripts. ANIMAL is replaced by the command of an animal of the zoo.
  const char* validate;
  const char* runtime;
  bool is_stopped = false;  // Once its runtime runs. Otherwise it ends by itself.
};

constexpr auto kProjects = std::to_array<Project>({
    {"leaves daemons", "mkdir -p build; ANIMAL daemon", "true", "ANIMAL double_fork"},
    {"breeds", "mkdir -p build", "true", "ANIMAL hydra 16", true},
    {"ignores signals", "mkdir -p build", "true", "ANIMAL own_session", true},
    {"kills its keeper", "ANIMAL kills_keeper_and_stays", "true", "true"},
    {"floods", "mkdir -p build; ANIMAL fountain", "true", "true"},
    {"nests", "mkdir -p build", R"(printf '{"severity":"error","message":"m","deep":'
yes '[' | tr -d '\n' | head -c 300000)",
     "true"},
    {"prints a line without end", "mkdir -p build",
     R"(printf '{"severity":"error","message":"'; yes x | tr -d '\n' | head -c 3000000)", "true"},
    {"leads outside", "ln -sfn /tmp build", "true", "true"},
    {"removes itself", "mkdir -p build", "rm -rf \"$PWD\"", "true"},
    {"has many files", "mkdir -p build; cd build; seq 1 2000 | xargs touch", "true", "true"},
    {"is not a program", "mkdir -p build", "true", nullptr},
});

std::string script_of(std::string text, const std::string& den) {
  const std::string mark = "ANIMAL ";
  const size_t at = text.find(mark);
  if (at == std::string::npos) return text;
  const size_t name = at + mark.size();
  const size_t words = std::min(text.find(' ', name), text.size());
  return text.substr(0, at) + DROVER_BIN "/zoo_animal " + text.substr(name, words - name) + " " +
         den + text.substr(words);
}

void write(const std::string& path, const std::string& text) {
  std::ofstream(path) << text;
  fs::permissions(path, fs::perms::owner_all);
}

std::string create(const Project& project, const std::string& id, const std::string& den) {
  const std::string root = den + "/project";
  fs::create_directories(root + "/.drover");
  write(root + "/drover.toml", "[project]\nid = \"" + id + "\"\n[play]\nbuild = '''" +
                                   script_of(project.build, den) + "'''\nvalidate = '''" +
                                   script_of(project.validate, den) + "'''\npack = 'true'\n");
  const bool is_program = project.runtime != nullptr;
  write(root + "/runtime", is_program ? "#!/bin/sh\n" + script_of(project.runtime, den) + "\n"
                                      : std::string("\x7f"
                                                    "ELF and no more"));
  write(root + "/.drover/setup.json", R"({"runtimePath":"runtime"})");
  return root;
}

void hostile_play(Target& target, tests::SeededRandom& random) {
  static std::atomic<int> count = 0;
  const Project& project = kProjects[static_cast<size_t>(random.below(kProjects.size()))];
  SCOPED_TRACE(project.name);
  const std::string den = target.census.plant_den();
  const std::string id = "hostile-" + std::to_string(++count);
  const std::string root = create(project, id, den);
  const tests::DaemonAnswer added =
      target.ask({.method = "POST", .target = "/api/projects", .body = {{"root", root}}});
  EXPECT_EQ(added.status, 200) << added.text;
  const std::string path = "/api/projects/" + id;
  const tests::DaemonAnswer played =
      target.ask({.method = "POST", .target = path + "/play", .key = id});
  EXPECT_TRUE(played.status == 202 || played.status == 200) << played.text;
  tests::DaemonAnswer session;
  wait_until("the end of a play", [&] {
    session = target.ask({.method = "GET", .target = path + "/session?wait=1s"});
    const std::string state = tests::text_of(session.body, "state");
    if (project.is_stopped && state == "running") {
      (void)target.ask({.method = "POST", .target = path + "/stop"});
    }
    return session.status != 200 || state == "stopped" || state.ends_with("failed");
  });
  EXPECT_EQ(session.status, 200) << session.text;
  EXPECT_EQ(Census::alive_in(den), std::vector<std::string>{}) << session.text;
  (void)target.ask({.method = "DELETE", .target = path});
}

constexpr auto kAll = std::to_array<Attack>({{"hostile play", hostile_play}});

}  // namespace

std::span<const Attack> hostile_plays() {
  return kAll;
}

}  // namespace drover::siege
