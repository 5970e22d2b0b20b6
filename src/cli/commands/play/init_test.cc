// `drover init` in odd directories, as the real program. The usual ones: tests/cli/project_test.cc.
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
  Ended init(std::vector<std::string> words) {
    words.insert(words.begin(), "init");
    return drover_says(words, daemon_.home());
  }
  FakeDaemon daemon_;  // For its directory.
};

// A .gitignore that cannot be written does not leave half a project that nobody can init again.
TEST_F(Init, GoesOnWithoutGitignore) {
  const std::string root = directory("game");
  std::filesystem::create_directories(root + "/.gitignore");
  const Ended ended = init({root, "--json"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_NE(ended.err.find("add .drover/ to .gitignore"), std::string::npos) << ended.err;
  EXPECT_EQ(boost::json::parse(ended.out).at("gitignore_changed"), false);
  EXPECT_TRUE(std::filesystem::exists(root + "/drover.toml"));
}

// What is shown can be pasted: quotes where a shell needs them, and only there.
TEST_F(Init, ShowsWhatAShellUnderstands) {
  const std::string plain = init({directory("game-1")}).out;
  EXPECT_NE(plain.find("    cd " + directory("game-1") + "\n"), std::string::npos) << plain;
  const std::string quoted = init({directory("it's; mine")}).out;
  EXPECT_NE(quoted.find("    cd '" + directory("it'\\''s; mine") + "'\n"), std::string::npos)
      << quoted;
}

// A directory's name can neither move the cursor nor turn the text around.
TEST_F(Init, ShowsNothingThatATerminalObeys) {
  const Ended ended = init({directory("a\x1b[2J\u202eb")});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_NE(ended.out.find("a?[2J?b/drover.toml: describe"), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("cd '" + directory("a?[2J?b") + "'"), std::string::npos) << ended.out;
  for (const char* bad : {"\x1b", "\u202e"}) EXPECT_EQ(ended.out.find(bad), std::string::npos);
}

// JSON stays JSON, whatever bytes the directory's name has.
TEST_F(Init, NamesThatAreNotUtf8) {
  const std::string root = directory("g\xff");
  const Ended ended = init({root, "--json"});
  ASSERT_TRUE(is_utf8(ended.out));
  const auto told = boost::json::parse(ended.out).get_object();
  EXPECT_EQ(unbase64(text_in(object_in(told, "root"), "base64")).value_or("none"),
            std::filesystem::canonical(root).string());
}

}  // namespace
}  // namespace drover::cli
