#include "play/project.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <sys/stat.h>

#include <array>
#include <boost/json/serialize.hpp>

#include "base/fd.h"
#include "base/limits.h"
#include "play/limits.h"
#include "testing/directory.h"
#include "wire/play/example.h"
#include "wire/play/project_id.h"

namespace drover::play {
namespace {

Project parsed(std::string_view toml) {
  const auto project = parse_project("drover.toml", toml);
  EXPECT_TRUE(project) << project.error().message;
  return project.value_or(Project{});
}

// The error message of a project file that must be refused.
std::string refusal(std::string_view toml) {
  const auto project = parse_project("drover.toml", toml);
  if (project) return "it was accepted";
  EXPECT_EQ(project.error().reason, "bad_project");
  EXPECT_EQ(project.error().code, ErrorCode::invalid);
  return project.error().message;
}

std::string in_play(const std::string& lines) {
  return "[project]\nid = \"g\"\n[play]\n" + lines;
}

// P2: the smallest valid project has only an id.
TEST(Project, NeedsOnlyAnId) {
  const Project project = parsed("[project]\nid = \"game\"\n");
  EXPECT_EQ(project.id, "game");
  EXPECT_EQ(project.name, "game");
  EXPECT_EQ(project.version, "");
  EXPECT_FALSE(project.build || project.validate || project.pack);
  EXPECT_TRUE(project.metadata.empty() && project.manifest.empty());
}

// The declared triggers of a project are read by their room, not here.
TEST(Project, LeavesTriggersAlone) {
  EXPECT_EQ(parsed("[project]\nid = \"game\"\n[[trigger]]\nname = \"n\"\nodd = 1\n").id, "game");
}

// P2: every key, in every form that it has.
TEST(Project, ReadsEveryKey) {
  const Project project = parsed(R"(
[project]
id = "game_2.x-y"
name = "Game – 二"
version = "1.0-β"
authors = ["a", "b"]
stars = -3
open = true
site = { url = "http://x", old = [1, [2]] }

[play]
build = "make all && cp x build"
validate = ["./check", "", "ä b"]

[play.pack]
command = ["pack"]
cwd = "tools/pack"
env = { LEVEL = "9", EMPTY = "" }
timeout = "5m"

[play.manifest]
engine = "2"
zeta = 1
alpha = { b = 1, a = 2 }
)");
  EXPECT_EQ(project.id, "game_2.x-y");
  EXPECT_EQ(project.name, "Game – 二");
  EXPECT_EQ(project.version, "1.0-β");
  EXPECT_EQ(
      boost::json::serialize(project.metadata),
      R"({"authors":["a","b"],"open":true,"site":{"old":[1,[2]],"url":"http://x"},"stars":-3})");
  EXPECT_EQ(project.build->shell, "make all && cp x build");
  EXPECT_TRUE(project.build->argv.empty());
  EXPECT_EQ(project.validate->argv, (std::vector<std::string>{"./check", "", "ä b"}));
  const Preparation pack{.argv = {"pack"},
                         .shell = "",
                         .cwd = "tools/pack",
                         .env = {{"EMPTY", ""}, {"LEVEL", "9"}},
                         .timeout_ms = 300'000};
  EXPECT_EQ(*project.pack, pack);
  EXPECT_EQ(boost::json::serialize(project.manifest),
            R"({"alpha":{"a":2,"b":1},"engine":"2","zeta":1})");
}

// The error message names the line and what to do.
TEST(Project, ErrorsNameLineAndCause) {
  struct Case {
    std::string toml;
    std::string line;
    std::string says;
  };
  const std::vector<Case> cases{
      {"", "1", "[project]"},
      {"[play]\n", "1", "[project]"},
      {"project = 1\n", "1", "section"},
      {"[[project]]\nid = \"a\"\n", "1", "section"},
      {"[project]\n", "1", "id is missing"},
      {"[project]\nid = 3\n", "2", "in quotes"},
      {"[project]\nid = \"\"\n", "2", "1 to 64"},
      {"[project]\nid = \"Game\"\n", "2", "a-z"},
      {"[project]\nid = \"a/b\"\n", "2", "a-z"},
      {"[project]\nid = \"..\"\n", "2", "a-z"},
      {"[project]\nid = \"-rf\"\n", "2", "a-z"},
      {"[project]\nid = \"ä\"\n", "2", "a-z"},
      {"[project]\nid = \"" + std::string(65, 'a') + "\"\n", "2", "64"},
      {"[project]\nid = \"a\"\nname = 7\n", "3", "in quotes"},
      {"[project]\nid = \"a\"\nname = \"a\\nb\"\n", "3", "one line"},
      {"[project]\nid = \"a\"\nversion = \"\\u001b[31m\"\n", "3", "one line"},
      {"[project]\nid = \"a\"\nname = \"" + std::string(201, 'x') + "\"\n", "3", "200"},
      {"[project]\nid = \"a\"\nratio = 0.5\n", "3", "whole number"},
      {"[project]\nid = \"a\"\nborn = 2026-01-01\n", "3", "whole number"},
      {"[project]\nid = \"a\"\n\nlist = [1,\n 1e3]\n", "5", "whole number"},
      {"[project]\nid = \"a\"\n[run]\n", "3", "is unknown"},
      {"[project]\nid = \"a\"\n[project]\n", "3", "invalid TOML"},
      {"[project]\nid = \"a\"\nid = \"b\"\n", "3", "invalid TOML"},
      {"[project\n", "1", "invalid TOML"},
      {"[project]\nid = \"\xff\"\n", "2", "invalid TOML"},
      {"[project]\nid = a\n", "2", "invalid TOML"},
      {"[!]\n", "1", "invalid TOML"},
      {"[project]\nid = \"a\"\n\n\n[[=]]\n[play]\n", "5", "invalid TOML"},
      {in_play("biuld = \"x\"\n"), "4", "biuld is unknown"},
      {in_play("build = 1\n"), "4", "text"},
      {in_play("build = \"\"\n"), "4", "empty"},
      {in_play("build = []\n"), "4", "does not name a program"},
      {in_play("build = [\"\"]\n"), "4", "does not name a program"},
      {in_play("build = [1]\n"), "4", "text"},
      {in_play("build = [\"a\", [\"b\"]]\n"), "4", "text"},
      {in_play("build = [\"a\\u0000\"]\n"), "4", "NUL"},
      {in_play("build = \"a\\u0000\"\n"), "4", "NUL"},
      {in_play("build = {}\n"), "4", "neither"},
      {in_play("build = { shell = \"a\", command = [\"b\"] }\n"), "4", "both command and shell"},
      {in_play("build = { shell = [\"a\"] }\n"), "4", "text"},
      {in_play("build = { command = \"a\" }\n"), "4", "list of words"},
      {in_play("build = { shell = \"a\", cwd = \"/etc\" }\n"), "4", "below"},
      {in_play("build = { shell = \"a\", cwd = \"a/../..\" }\n"), "4", "below"},
      {in_play("build = { shell = \"a\", cwd = 1 }\n"), "4", "text"},
      {in_play("build = { shell = \"a\", cwd = \"a\\u0000\" }\n"), "4", "below"},
      {in_play("build = { shell = \"a\", timeout = 5 }\n"), "4", "text"},
      {in_play("build = { shell = \"a\", timeout = \"5\" }\n"), "4", "timeout"},
      {in_play("build = { shell = \"a\", timeout = \"-5m\" }\n"), "4", "timeout"},
      {in_play("build = { shell = \"a\", env = [\"A=1\"] }\n"), "4", "env"},
      {in_play("build = { shell = \"a\", env = { A = 1 } }\n"), "4", "text"},
      {in_play("build = { shell = \"a\", env = { \"A=B\" = \"1\" } }\n"), "4", "A=B"},
      {in_play("build = { shell = \"a\", env = { \"\" = \"1\" } }\n"), "4", "variable"},
      {in_play("build = { shell = \"a\", speed = \"fast\" }\n"), "4", "is unknown"},
      {in_play("manifest = 1\n"), "4", "[play.manifest]"},
      {in_play("[play.manifest]\nfiles = []\n"), "5", "reserved in the manifest"},
      {in_play("[play.manifest]\nproject = \"x\"\n"), "5", "reserved in the manifest"},
      {in_play("[play.manifest]\nmanifest_version = 2\n"), "5", "reserved in the manifest"},
      {in_play("[play.manifest.files]\na = 1\n"), "4", "reserved in the manifest"},
      {in_play("[play.manifest]\nwhen = 12:00:00\n"), "5", "whole number"},
  };
  for (const Case& one : cases) {
    const std::string said = refusal(one.toml);
    EXPECT_TRUE(said.starts_with("drover.toml:" + one.line + ": ")) << one.toml << said;
    EXPECT_TRUE(said.contains(one.says)) << one.toml << said;
  }
}

// P2: a project cannot overwrite the manifest's own fields, but may use any name inside its own
// tables.
TEST(Project, NamesInsideATableAreFree) {
  EXPECT_EQ(parsed(in_play("[play.manifest]\nmine = { files = 1, project = 2 }\n")).manifest.size(),
            1U);
  for (const char* name : {"manifest_version", "project", "files"}) {
    EXPECT_TRUE(is_manifest_field(name)) << name;
  }
}

// Deep nesting of any kind is an error, not a stack overflow.
TEST(Project, RefusesDeepNesting) {
  const auto value = [](size_t depth) {
    return "[project]\nid = \"a\"\nx = " + std::string(depth, '[') + std::string(depth, ']') + "\n";
  };
  EXPECT_EQ(parsed(value(kManifestNestingMax)).metadata.size(), 1U);
  EXPECT_TRUE(refusal(value(kManifestNestingMax + 2)).contains("nested more than"));
  (void)refusal(value(5'000));
  std::string dots = "a";
  for (int i = 0; i < 200'000; ++i) dots += ".a";
  EXPECT_TRUE(refusal("[project]\nid = \"a\"\n" + dots + " = 1\n").contains("dots"));
  EXPECT_TRUE(refusal("[project]\nid = \"a\"\n[project." + dots + "]\n").contains("dots"));
  EXPECT_EQ(parsed("[project]\nid = \"a\"\ntext = \"" + dots + "\"\n").metadata.size(), 1U);
  std::string tables;
  for (int i = 0; i < 5'000; ++i) tables += "{a=";
  (void)refusal("[project]\nid = \"a\"\nx = " + tables + "1" + std::string(5'000, '}') + "\n");
}

// A step that exceeds the limits of a run is refused before anything starts.
TEST(Project, RefusesStepsBeyondTheLimitsOfRuns) {
  const std::string huge(limits::kArgumentBytesMax, 'x');
  EXPECT_TRUE(refusal(in_play("build = \"" + huge + "\"\n")).contains("128 KiB"));
  EXPECT_TRUE(refusal(in_play("build = [\"a\", \"" + huge + "\"]\n")).contains("128 KiB"));
  std::string many = "build = [\"a\"";
  for (size_t i = 0; i < limits::kArgumentsMax; ++i) many += ",\"\"";
  EXPECT_TRUE(refusal(in_play(many + "]\n")).contains("too many arguments"));
}

// `drover init` writes a valid project for every name that a directory may have.
RC_GTEST_PROP(ProjectExample, IsAValidProject, (const std::string& directory)) {
  const std::string id = wire::play::project_id_like(directory);
  RC_ASSERT(wire::play::is_project_id(id));
  const auto project = parse_project("drover.toml", wire::play::example_project(id));
  RC_ASSERT(project.has_value());
  RC_ASSERT(project->id == id);
}

// The id is the nearest valid one to the directory's name.
TEST(ProjectExample, DerivesAnIdFromTheDirectory) {
  for (const auto& [directory, id] : std::vector<std::pair<std::string, std::string>>{
           {"My Game!", "my-game"},
           {"play-game", "play-game"},
           {".hidden", "hidden"},
           {"--x", "x"},
           {"日本", "my-project"},
           {"", "my-project"},
           {"a  b", "a-b"},
           {std::string(100, 'A'), std::string(64, 'a')}}) {
    EXPECT_EQ(wire::play::project_id_like(directory), id) << directory;
  }
}

// The commented lines of the example are valid too.
TEST(ProjectExample, HasValidCommentedLines) {
  std::string text = wire::play::example_project("game");
  for (const char* line :
       {"# authors =", "# validate =", "# pack =", "# [play.manifest]", "# engine ="}) {
    const size_t at = text.find(line);
    ASSERT_NE(at, std::string::npos) << line;
    text.erase(at, 2);
  }
  const Project project = parsed(text);
  EXPECT_EQ(project.pack->cwd, "tools");
  EXPECT_EQ(project.validate->argv.size(), 2U);
  EXPECT_TRUE(project.metadata.contains("authors"));
  EXPECT_TRUE(project.manifest.contains("engine"));
}

// Any bytes are read without a crash.
RC_GTEST_PROP(ProjectProperty, ReadsAnyBytes, (const std::string& bytes)) {
  (void)parse_project("drover.toml", bytes);
  (void)parse_project("drover.toml", "[project]\nid = \"a\"\n[play]\nbuild = " + bytes);
}

// A valid file that was cut or has a changed byte is read, or refused as `bad_project`.
RC_GTEST_PROP(ProjectProperty, SurvivesAnyDamage, ()) {
  std::string text = wire::play::example_project("game");
  text.resize(*rc::gen::inRange<size_t>(0, text.size() + 1));
  if (!text.empty()) {
    text[*rc::gen::inRange<size_t>(0, text.size())] = *rc::gen::arbitrary<char>();
  }
  const auto project = parse_project("drover.toml", text);
  if (!project) RC_ASSERT(project.error().reason == "bad_project");
}

// From a directory: the file, no file, and something that is not a regular file.
TEST(Project, LoadsFromADirectory) {
  const testing::TestDirectory directory;
  EXPECT_EQ(load_project(directory.path()).error().reason, "no_project");
  EXPECT_EQ(load_project(directory.file("nowhere")).error().code, ErrorCode::not_found);
  ASSERT_TRUE(replace_file(directory.file("drover.toml"), "[project]\nid = \"a\"\n"));
  EXPECT_EQ(load_project(directory.path())->id, "a");
  ASSERT_TRUE(replace_file(directory.file("drover.toml"), "[project]\nid = A\n"));
  EXPECT_TRUE(load_project(directory.path()).error().message.contains("drover.toml:2"));
  ASSERT_TRUE(replace_file(directory.file("drover.toml"), std::string(kProjectBytesMax + 1, '#')));
  EXPECT_EQ(load_project(directory.path()).error().reason, "bad_project");
  ASSERT_TRUE(remove_tree(directory.file("drover.toml")));
  ASSERT_EQ(::mkfifo(directory.file("drover.toml").c_str(), 0600), 0);
  EXPECT_EQ(load_project(directory.path()).error().reason, "bad_project");
}

}  // namespace
}  // namespace drover::play
