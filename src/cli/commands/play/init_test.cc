// `drover init` in unusual directories: the real program. For ordinary ones, see
// tests/cli/project_test.cc.
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <filesystem>

#include "base/text.h"
#include "cli/client/fake_daemon.h"
#include "cli/fields.h"

namespace drover::cli {
namespace {

class Init : public testing::Test {
 protected:
  Init() : daemon_([](const ReceivedRequest&, Reply& reply) { reply.cut(); }) {}
  std::string directory(const std::string& name) const { return daemon_.home() + "/" + name; }
  ProgramResult init(std::vector<std::string> words) {
    words.insert(words.begin(), "init");
    return drover_says(words, daemon_.home());
  }
  FakeDaemon daemon_;  // For its directory.
};

// If .gitignore cannot be written, init still succeeds, instead of leaving half a project behind.
TEST_F(Init, SucceedsWithoutGitignore) {
  const std::string root = directory("game");
  std::filesystem::create_directories(root + "/.gitignore");
  const ProgramResult ended = init({root, "--json"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_NE(ended.err.find("add .drover/ to .gitignore"), std::string::npos) << ended.err;
  EXPECT_EQ(boost::json::parse(ended.out).at("gitignore_changed"), false);
  EXPECT_TRUE(std::filesystem::exists(root + "/drover.toml"));
}

// The printed commands can be pasted: they are quoted where a shell needs it, and only there.
TEST_F(Init, QuotesForAShell) {
  const std::string plain = init({directory("game-1")}).out;
  EXPECT_NE(plain.find("    cd " + directory("game-1") + "\n"), std::string::npos) << plain;
  const std::string quoted = init({directory("it's; mine")}).out;
  EXPECT_NE(quoted.find("    cd '" + directory("it'\\''s; mine") + "'\n"), std::string::npos)
      << quoted;
}

// Control characters and direction marks in a directory's name are replaced.
TEST_F(Init, CleansDirectoryNames) {
  const ProgramResult ended = init({directory("a\x1b[2J\u202eb")});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_NE(ended.out.find("a?[2J?b/drover.toml: describe"), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("cd '" + directory("a?[2J?b") + "'"), std::string::npos) << ended.out;
  for (const char* bad : {"\x1b", "\u202e"}) EXPECT_EQ(ended.out.find(bad), std::string::npos);
}

// The JSON is valid, whatever bytes the directory's name has.
TEST_F(Init, PrintsValidJsonForAnyName) {
  const std::string root = directory("g\xff");
  const ProgramResult ended = init({root, "--json"});
  ASSERT_TRUE(is_utf8(ended.out));
  const auto told = boost::json::parse(ended.out).get_object();
  EXPECT_EQ(unbase64(text_in(object_in(told, "root"), "base64")).value_or("none"),
            std::filesystem::canonical(root).string());
}

}  // namespace
}  // namespace drover::cli
