// Project commands without a play: `drover init`, `drover project manifest`, and the example.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <boost/json/parse.hpp>
#include <filesystem>

#include "tests/harness.h"

namespace drover::tests {
namespace {

namespace fs = std::filesystem;

std::string text_in_file(const std::string& path) {
  return read_file(path, 1 << 20).value_or("(none)");
}

// Runs a program in a directory to its end.
Output in_directory(const std::string& directory, const std::vector<std::string>& argv) {
  return Started(argv, {}, "", directory).finish();
}
Output drover_in(const std::string& directory, const Flock& flock, std::vector<std::string> words) {
  words.insert(words.begin(), DROVER_BIN "/drover");
  return Started(words, flock.environment, "", directory).finish();
}

// S1: `init` creates a project once, and never overwrites a person's file.
TEST(Init, MakesAProjectOnce) {
  Flock flock;
  const std::string root = flock.file("My Game");
  const std::string said = flock.ok({"init", root});
  EXPECT_TRUE(said.contains("drover.toml") && said.contains(".drover/setup.json")) << said;
  EXPECT_TRUE(text_in_file(root + "/drover.toml").contains("id = \"my-game\""));
  EXPECT_EQ(text_in_file(root + "/.gitignore"), ".drover/\n");

  ASSERT_TRUE(replace_file(root + "/drover.toml", "mine"));
  ASSERT_TRUE(remove_tree(root + "/.gitignore"));
  const Output again = flock.drover({"init", root, "--json"});
  EXPECT_EQ(again.code, 6);
  EXPECT_TRUE(again.err.contains("project_exists")) << again.err;
  EXPECT_EQ(text_in_file(root + "/drover.toml"), "mine");
  EXPECT_FALSE(fs::exists(root + "/.gitignore"));
  EXPECT_FALSE(fs::exists(flock.home().socket()));  // It needs no daemon.
}

// S1: without an argument it uses the current directory; a directory's name may be invalid UTF-8.
TEST(Init, UsesTheCurrentDirectory) {
  Flock flock;
  const std::string root = flock.file("g\xff");
  fs::create_directory(root);
  EXPECT_EQ(drover_in(root, flock, {"init"}).code, 0);
  EXPECT_TRUE(text_in_file(root + "/drover.toml").contains("id = \"g\""));
}

// .gitignore gets one line, once, and keeps its content, with or without a final newline.
TEST(Init, AddsOneLineToGitignore) {
  Flock flock;
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", ".drover/\n"},
      {"*.o\n", "*.o\n.drover/\n"},
      {"*.o", "*.o\n.drover/\n"},
      {"x/.drover/\n# .drover/\n", "x/.drover/\n# .drover/\n.drover/\n"},
      {".drover/", ".drover/"},
      {"a\r\n/.drover\r\nb", "a\r\n/.drover\r\nb"},
  };
  for (size_t i = 0; i < cases.size(); ++i) {
    const std::string root = flock.file("p" + std::to_string(i));
    fs::create_directory(root);
    ASSERT_TRUE(replace_file(root + "/.gitignore", cases[i].first));
    flock.ok({"init", root});
    EXPECT_EQ(text_in_file(root + "/.gitignore"), cases[i].second);
  }
}

// P2: `project manifest` works anywhere in the project, and `droverd --manifest` too; an error has
// its reason.
TEST(ProjectManifest, WorksAnywhereInTheProject) {
  Flock flock;
  const std::string root = flock.file("game \xff");
  flock.ok({"init", root});
  const Output none = flock.drover({"project", "manifest", root});
  EXPECT_EQ(none.code, 1);
  EXPECT_TRUE(none.err.contains("no directory build")) << none.err;

  fs::create_directories(root + "/build/deep");
  ASSERT_TRUE(replace_file(root + "/build/deep/a", "12345"));
  ASSERT_TRUE(replace_file(root + "/build/b", ""));
  EXPECT_EQ(flock.ok({"project", "manifest", root}), "build/manifest.json: 2 files, 5 bytes");
  const std::string text = text_in_file(root + "/build/manifest.json");
  EXPECT_TRUE(boost::json::parse(text).is_object()) << text;
  const Output json = drover_in(root + "/build/deep", flock, {"project", "manifest", "--json"});
  EXPECT_EQ(json.out, "{\"path\":\"build/manifest.json\",\"files\":2,\"bytes\":5}\n");
  const Output direct = flock.droverd({"--manifest", root});
  EXPECT_EQ(direct.code, 0);
  EXPECT_EQ(text_in_file(root + "/build/manifest.json"), text);

  ASSERT_EQ(::mkfifo((root + "/build/pipe").c_str(), 0600), 0);
  const Output refused = flock.droverd({"--manifest", root});
  EXPECT_EQ(refused.code, 1);
  EXPECT_TRUE(refused.err.starts_with("build/pipe is a pipe")) << refused.err;
  EXPECT_EQ(text_in_file(root + "/build/manifest.json"), text);

  EXPECT_EQ(flock.drover({"project", "manifest", flock.file("nowhere")}).code, 5);
  const Output outside = drover_in("/", flock, {"project", "manifest"});
  EXPECT_EQ(outside.code, 5);
  EXPECT_TRUE(outside.err.contains("drover init")) << outside.err;
  EXPECT_EQ(flock.droverd({"--manifest", "/nowhere"}).code, 1);
}

class Example : public ::testing::Test {
 protected:
  Example() : root(flock.file("play-game")) {
    fs::create_directory(root);
    for (const auto& entry : fs::directory_iterator(DROVER_EXAMPLES "/play-game")) {
      const std::string name = entry.path().filename();
      if (name == "build" || name == ".drover") continue;  // Left over from a play in place.
      fs::copy(entry.path(), root + "/" + name, fs::copy_options::recursive);
    }
  }

  Flock flock;
  std::string root;
};

// P1, P2, P3: the example is built, validated, packed and gets its manifest, and its runtime plays
// it.
TEST_F(Example, Plays) {
  for (const char* step : {"./build.sh", "./validate.sh", "./pack.sh"}) {
    const Output out = in_directory(root, {step});
    ASSERT_EQ(out.code, 0) << step << out.err;
  }
  EXPECT_TRUE(flock.ok({"project", "manifest", root}).starts_with("build/manifest.json: 4 files"));
  const Output played = in_directory(root, {root + "/.drover/bin/way-home", "run", "build"});
  EXPECT_EQ(played.code, 0) << played.err;
  EXPECT_TRUE(played.out.contains("Night falls. 7 sheep are in the fold.")) << played.out;

  ASSERT_TRUE(replace_file(root + "/build/title.txt", "shorter"));
  const Output changed = in_directory(root, {root + "/.drover/bin/way-home", "run", "build"});
  EXPECT_EQ(changed.code, 1);
  EXPECT_TRUE(changed.err.contains("title.txt has 7 bytes")) << changed.err;
}

// P1: a level that cannot be played is reported as a blocking diagnostic.
TEST_F(Example, BlocksOnABadLevel) {
  ASSERT_TRUE(replace_file(root + "/assets/levels/2-hedges.txt", "####\n#D?#\n###\n"));
  const Output out = in_directory(root, {"./validate.sh"});
  EXPECT_EQ(out.code, 1);
  std::istringstream lines(out.out);
  int blocking = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("{")) continue;
    const auto object = boost::json::parse(line).as_object();
    EXPECT_TRUE(object.contains("severity") && object.contains("message")) << line;
    blocking += object.contains("blocking") ? 1 : 0;
  }
  EXPECT_EQ(blocking, 4) << out.out;
}

}  // namespace
}  // namespace drover::tests
