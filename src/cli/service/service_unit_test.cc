#include "cli/service/service_unit.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

namespace drover::cli {
namespace {

namespace fs = std::filesystem;

// Sets an environment variable during its lifetime.
class ScopedVariable {
 public:
  ScopedVariable(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    ::setenv(name, value.c_str(), 1);
  }
  ~ScopedVariable() {
    if (before_) {
      ::setenv(name_, before_->c_str(), 1);
    } else {
      ::unsetenv(name_);
    }
  }
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

// R18: a unit serves our home if its variables lead to the same directories, whichever variables
// those are. A shell without a runtime directory, or with additional irrelevant variables, still
// matches.
TEST(ServiceUnit, ServesTheHomeOfItsVariables) {
  std::string directory = (fs::temp_directory_path() / "unit.XXXXXX").string();
  ASSERT_NE(::mkdtemp(directory.data()), nullptr);
  const ScopedVariable config("XDG_CONFIG_HOME", directory);
  const ScopedVariable home("HOME", "/home/ann");
  fs::create_directories(directory + "/systemd/user");
  const auto serves = [&](const Variables& unit, const Variables& ours) {
    std::ofstream(*unit_path()) << unit_text("/bin/droverd", unit);
    return unit_serves(ours);
  };
  const std::string runtime = "/run/user/" + std::to_string(::geteuid());
  EXPECT_FALSE(unit_serves({}));  // No unit is installed.
  EXPECT_TRUE(serves({{"DROVER_HOME", "/d"}, {"XDG_RUNTIME_DIR", "/r"}}, {{"DROVER_HOME", "/d"}}));
  EXPECT_TRUE(serves({{"DROVER_HOME", "/d"}},
                     {{"DROVER_HOME", "/d"}, {"XDG_CONFIG_HOME", "/c"}, {"XDG_STATE_HOME", "/s"}}));
  EXPECT_TRUE(serves({{"XDG_RUNTIME_DIR", runtime}, {"XDG_STATE_HOME", "/home/ann/.local/state"}},
                     {{"XDG_RUNTIME_DIR", runtime}}));
  EXPECT_TRUE(serves({}, {{"XDG_RUNTIME_DIR", runtime}}));
  EXPECT_FALSE(serves({{"DROVER_HOME", "/d"}}, {{"DROVER_HOME", "/e"}}));
  EXPECT_FALSE(serves({{"DROVER_HOME", "/d"}}, {}));
  EXPECT_FALSE(serves({}, {}));  // Our socket would be in another directory.
  EXPECT_FALSE(serves({{"XDG_STATE_HOME", "/s"}}, {{"XDG_RUNTIME_DIR", runtime}}));
  fs::remove_all(directory);
}

}  // namespace
}  // namespace drover::cli
