// One play of a project at a time, also if another user plays it with a daemon of their own (P6).
#include <sys/stat.h>
#include <unistd.h>

#include <boost/json/serialize.hpp>
#include <filesystem>

#include "tests/hostile/attacked_flock.h"
#include "tests/play/game.h"

namespace drover::tests {
namespace {

namespace fs = std::filesystem;

constexpr uid_t kNobody = 65534;  // As in hostile::as_nobody.

// The user nobody, with programs and a home that this user owns.
class OtherUser : public Game {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can become another user";
    write_project(step("build", "mkdir -p build"));
    add();
    char name[] = "/tmp/drover-other-XXXXXX";
    theirs_ = ::mkdtemp(name);
    hostile::copy_programs(theirs_ + "/bin");
    ASSERT_EQ(::chown(theirs_.c_str(), kNobody, kNobody), 0);
    environment_["DROVER_HOME"] = theirs_ + "/home";
    environment_["HOME"] = theirs_;
    // Both users can reach the project.
    for (fs::path up = root_; up != "/tmp" && up != "/"; up = up.parent_path()) {
      fs::permissions(up, fs::perms::others_exec, fs::perm_options::add);
    }
  }
  void TearDown() override {
    if (theirs_.empty()) return;
    (void)drover({"stop", "--kill", "--no-start"});
    fs::remove_all(theirs_);
  }
  Output drover(const std::vector<std::string>& words) {
    std::vector<std::string> argv{theirs_ + "/bin/drover"};
    argv.insert(argv.end(), words.begin(), words.end());
    return Started(hostile::as_nobody(argv), environment_, "", theirs_).finish();
  }
  // Lets everybody write into the project.
  void share() {
    fs::permissions(root_, fs::perms::all);
    for (const auto& entry : fs::recursive_directory_iterator(root_)) {
      fs::permissions(entry.path(), fs::perms::all);
    }
  }

  std::string theirs_;
  std::map<std::string, std::string> environment_;
};

// P6: a user who may not write to .drover cannot lock the project, and does not play it: the answer
// names the file and what to do.
TEST_F(OtherUser, WhoCannotLockDoesNotPlay) {
  const Output refused = drover({"play", root_});
  EXPECT_NE(refused.code, 0);
  EXPECT_NE(refused.err.find("make .drover writable for you"), std::string::npos) << refused.err;
  EXPECT_FALSE(exists("build"));
}

// P6: users who share a project play it one at a time; each of them may begin.
TEST_F(OtherUser, UsersOfAProjectPlayItInTurn) {
  barrier("gate");
  write_runtime("echo playing; read x < gate");
  ASSERT_EQ(play().status, 202);
  until_state("running");
  share();
  const Output refused = drover({"play", root_});
  EXPECT_NE(refused.code, 0);
  EXPECT_NE(refused.err.find("is being played by"), std::string::npos) << refused.err;
  let("gate");
  EXPECT_EQ(text_of(until_rest(), "state"), "stopped");
  share();
  Started theirs(hostile::as_nobody({theirs_ + "/bin/drover", "play", root_}), environment_, "",
                 theirs_);
  theirs.wait_for("playing");
  const auto answer = play();
  const std::string said = boost::json::serialize(answer.body);
  EXPECT_EQ(answer.status, 409) << said;
  EXPECT_NE(said.find("\"played_elsewhere\""), std::string::npos) << said;
  let("gate");
  EXPECT_EQ(theirs.finish().code, 0);
  write_runtime("exit 0");
  EXPECT_EQ(play().status, 202);
  EXPECT_EQ(text_of(until_rest(), "state"), "stopped");
}

}  // namespace
}  // namespace drover::tests
