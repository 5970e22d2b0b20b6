// Homes that another user can change: Drover starts nothing there. Every refusal names the command
// that fixes the home, and the command fixes it.
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/hostile/attacked_flock.h"

namespace drover::hostile {
namespace {

namespace fs = std::filesystem;

constexpr uid_t kStranger = 61'234;

class ForeignHome : public ::testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can make files of another user";
  }
  static void give_to_stranger(const std::string& path) {
    ASSERT_EQ(::lchown(path.c_str(), kStranger, kStranger), 0) << path;
  }
  tests::Output shell(const std::string& script) {
    return tests::Started({"/bin/sh", "-c", script}, flock_.environment, "", flock_.file(""))
        .finish();
  }
  // Everything in a directory, with owners and modes.
  std::string inventory(const std::string& path) {
    return shell("find '" + path + "' -printf '%p %y %U %m\\n' | sort").out;
  }
  // Executes the command that the message names in backquotes.
  void run_suggested_command(const std::string& message) {
    const size_t begin = message.find('`');
    const size_t end = message.find('`', begin + 1);
    ASSERT_NE(end, std::string::npos) << message;
    EXPECT_EQ(shell(message.substr(begin + 1, end - begin - 1)).code, 0) << message;
  }
  tests::Flock flock_;
};

// A daemon of root in the home of another user would give that user a root shell: through the
// settings, through a run's file, through a link in place of a directory.
TEST_F(ForeignHome, RootStartsNothingInTheHomeOfAnother) {
  const std::string home = flock_.file("ada");
  fs::create_directories(home);
  give_to_stranger(home);
  flock_.environment["DROVER_HOME"] = home;
  const std::string before = inventory(home);
  tests::Output output = flock_.drover({"run", "--", "touch", flock_.file("ran")});
  EXPECT_EQ(output.code, 125);
  EXPECT_NE(output.err.find("root starts nothing"), std::string::npos) << output.err;
  EXPECT_NE(output.err.find("user 61234"), std::string::npos) << output.err;
  output = flock_.droverd({});
  EXPECT_NE(output.code, 0);
  EXPECT_NE(output.err.find("unsafe_home"), std::string::npos) << output.err;
  EXPECT_EQ(inventory(home), before) << "something was created";
  EXPECT_FALSE(fs::exists(flock_.file("ran")));

  // The same if only a directory above belongs to somebody else, who can replace what is below.
  fs::create_directories(home + "/below");
  flock_.environment["DROVER_HOME"] = home + "/below";
  EXPECT_NE(flock_.drover({"run", "--", "true"}).err.find("'" + home + "'"), std::string::npos);

  // A link of that user leads root nowhere.
  flock_.environment["DROVER_HOME"] = flock_.file("link");
  fs::create_directory(flock_.file("target"));
  fs::create_symlink(flock_.file("target"), flock_.file("link"));
  give_to_stranger(flock_.file("link"));
  EXPECT_EQ(flock_.drover({"run", "--", "true"}).code, 125);
  EXPECT_TRUE(fs::is_empty(flock_.file("target")));
}

// Each directory and file that the daemon trusts is refused if another user has it or can write it;
// after the named command the daemon starts.
TEST_F(ForeignHome, EveryPartMustBeOurs) {
  EXPECT_EQ(flock_.drover({"run", "--", "true"}).code, 0);
  std::ofstream(flock_.home().config + "/config.toml") << "";
  flock_.ok({"stop"});
  const Home& home = flock_.home();
  for (const std::string& path :
       {home.config, home.state, home.runtime, home.runs(), home.trash(), home.controls(),
        home.owner_token(), home.database(), home.generation(), home.lock(), home.log(),
        home.config + "/config.toml"}) {
    for (const bool is_foreign : {true, false}) {
      SCOPED_TRACE(path + (is_foreign ? " of another user" : " writable"));
      if (is_foreign) {
        give_to_stranger(path);
      } else {
        ASSERT_EQ(::chmod(path.c_str(), fs::is_directory(path) ? 0777 : 0666), 0);
      }
      const tests::Output output = flock_.drover({"run", "--", "true"});
      EXPECT_NE(output.code, 0);
      EXPECT_NE(output.err.find("'" + path + "'"), std::string::npos) << output.err;
      EXPECT_NE(flock_.droverd({}).code, 0);
      run_suggested_command(output.err);
    }
  }
  EXPECT_EQ(flock_.drover({"run", "--", "true"}).code, 0);
  flock_.expect_verified();
}

// A run's file that another user has or can write is not executed: the launch fails.
TEST_F(ForeignHome, AForeignRunFileIsNotExecuted) {
  flock_.ok({"lane", "set", "narrow", "1"});
  for (const bool is_foreign : {true, false}) {
    const std::string holder = flock_.run("exec sleep 1000", {"--lane", "narrow"});
    const std::string id = flock_.run("touch " + flock_.file("ran"), {"--lane", "narrow"});
    const std::string file = flock_.home().runs() + "/" + id + ".run";
    if (is_foreign) {
      give_to_stranger(file);
    } else {
      ASSERT_EQ(::chmod(file.c_str(), 0666), 0);
    }
    flock_.ok({"cancel", holder});
    const boost::json::object record = flock_.ended(id);
    EXPECT_EQ(tests::text_of(record, "state"), "failed");
    EXPECT_FALSE(fs::exists(flock_.file("ran")));
    ASSERT_EQ(::chown(file.c_str(), 0, 0), 0);
    ASSERT_EQ(::chmod(file.c_str(), 0600), 0);
  }
}

// A program of another user that listens at our socket gets nothing: no environment, no command.
TEST_F(ForeignHome, NothingIsSentToAForeignListener) {
  const std::string run = flock_.file("home/run");
  fs::create_directories(run);
  give_to_stranger(run);
  fs::permissions(flock_.file(""), fs::perms(0755));
  const Fd listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  (run + "/drover.sock").copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::seteuid(kStranger), 0);
  const int bound =
      ::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  const int listening = ::listen(listener.get(), 5);
  ASSERT_EQ(::seteuid(0), 0);
  ASSERT_EQ(bound, 0);
  ASSERT_EQ(listening, 0);
  const tests::Output output = flock_.drover({"run", "--", "echo", "secret"});
  EXPECT_EQ(output.code, 125) << output.err;
  EXPECT_NE(output.err.find("user 61234"), std::string::npos) << output.err;
  const Fd client(::accept(listener.get(), nullptr, nullptr));
  char byte = 0;
  EXPECT_EQ(::read(client.get(), &byte, 1), 0) << "something was sent";
  fs::remove(run + "/drover.sock");
}

}  // namespace
}  // namespace drover::hostile
