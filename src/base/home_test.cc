#include "base/home.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <map>

namespace drover {
namespace {

namespace fs = std::filesystem;

constexpr std::array kVariables{"DROVER_HOME", "HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME",
                                "XDG_RUNTIME_DIR"};

// Gives each test an environment of just the variables it names, and restores the old one.
class HomeDirectories : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : kVariables) {
      if (const char* value = std::getenv(name)) before_[name] = value;
      ::unsetenv(name);
    }
  }
  void TearDown() override {
    for (const char* name : kVariables) ::unsetenv(name);
    for (const auto& [name, value] : before_) set(name.c_str(), value);
  }
  static void set(const char* name, const std::string& value) { ::setenv(name, value.c_str(), 1); }

 private:
  std::map<std::string, std::string> before_;
};

// W8: DROVER_HOME moves everything; it wins over XDG and HOME.
TEST_F(HomeDirectories, DroverHomeMovesEverything) {
  set("DROVER_HOME", "/srv/drover");
  set("HOME", "/home/ada");
  set("XDG_RUNTIME_DIR", "/run/user/1000");
  const auto home = Home::from_environment();
  ASSERT_TRUE(home);
  EXPECT_EQ(home->config, "/srv/drover/config");
  EXPECT_EQ(home->state, "/srv/drover/state");
  EXPECT_EQ(home->runtime, "/srv/drover/run");
  EXPECT_EQ(home->database(), "/srv/drover/state/drover.db");
  EXPECT_EQ(home->socket(), "/srv/drover/run/drover.sock");
  const RunId id = *RunId::parse("run_01hf7yat00000000000000000z");
  EXPECT_EQ(home->run_directory(id), "/srv/drover/state/runs/run_01hf7yat00000000000000000z");
}

// W8: without DROVER_HOME the XDG directories apply, each by its variable or its default.
TEST_F(HomeDirectories, FollowsXdg) {
  set("HOME", "/home/ada");
  auto home = Home::from_environment();
  ASSERT_TRUE(home);
  EXPECT_EQ(home->config, "/home/ada/.config/drover");
  EXPECT_EQ(home->state, "/home/ada/.local/state/drover");
  EXPECT_EQ(home->runtime, "/home/ada/.local/state/drover/run");  // No runtime directory: in state.

  set("XDG_CONFIG_HOME", "/c");
  set("XDG_STATE_HOME", "/s");
  set("XDG_RUNTIME_DIR", "/r");
  home = Home::from_environment();
  ASSERT_TRUE(home);
  EXPECT_EQ(home->config, "/c/drover");
  EXPECT_EQ(home->state, "/s/drover");
  EXPECT_EQ(home->runtime, "/r/drover");
}

// As XDG requires, relative values are ignored; so are empty ones.
TEST_F(HomeDirectories, IgnoresRelativeXdgDirectories) {
  set("HOME", "/home/ada");
  set("XDG_CONFIG_HOME", "c");
  set("XDG_STATE_HOME", "");
  set("XDG_RUNTIME_DIR", "./r");
  const auto home = Home::from_environment();
  ASSERT_TRUE(home);
  EXPECT_EQ(home->config, "/home/ada/.config/drover");
  EXPECT_EQ(home->state, "/home/ada/.local/state/drover");
  EXPECT_EQ(home->runtime, "/home/ada/.local/state/drover/run");
}

// A home that is not set, or that is relative to the current directory, is refused by its variable.
TEST_F(HomeDirectories, RefusesAMissingOrRelativeHome) {
  set("DROVER_HOME", "drover");
  auto home = Home::from_environment();
  ASSERT_FALSE(home);
  EXPECT_EQ(home.error().param, "DROVER_HOME");

  ::unsetenv("DROVER_HOME");
  home = Home::from_environment();
  ASSERT_FALSE(home);
  EXPECT_EQ(home.error().param, "HOME");
  EXPECT_NE(home.error().message.find("set DROVER_HOME"), std::string::npos);

  set("HOME", "ada");
  EXPECT_FALSE(Home::from_environment());
}

// After create() every directory exists, private to its owner; a second call changes nothing.
TEST_F(HomeDirectories, CreatesPrivateDirectories) {
  std::string root = fs::temp_directory_path() / "drover-home-XXXXXX";
  ASSERT_NE(::mkdtemp(root.data()), nullptr);
  set("DROVER_HOME", root + "/new/home");
  const auto home = Home::from_environment();
  ASSERT_TRUE(home);
  ASSERT_TRUE(home->create());
  ASSERT_TRUE(home->create());
  for (const std::string& directory :
       {home->config, home->state, home->runtime, home->runs(), home->controls()}) {
    struct stat st{};
    ASSERT_EQ(::stat(directory.c_str(), &st), 0) << directory;
    EXPECT_EQ(st.st_mode & 07777, 0700U) << directory;
  }
  fs::remove_all(root);
}

}  // namespace
}  // namespace drover
