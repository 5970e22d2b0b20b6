// Unusable homes: not set, not a directory, or with something else in the place of our files. The
// first command names the problem and changes nothing.
#include <fcntl.h>
#include <sys/stat.h>

#include <filesystem>

#include "tests/hostile/attacked_flock.h"

namespace drover::hostile {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

class Places : public ::testing::Test {
 protected:
  Places() { fs::create_directories(flock_.file("h")); }

  // Runs a shell script in the directory that contains the home `h`.
  tests::Output shell(const std::string& script) {
    return tests::Started({"/bin/sh", "-c", script}, flock_.environment, "", flock_.file(""))
        .finish();
  }
  // Runs `drover …` with an environment changed by these arguments of env(1).
  tests::Output drover(const Words& changes, const Words& words) {
    Words argv{"/usr/bin/env"};
    argv.insert(argv.end(), changes.begin(), changes.end());
    argv.push_back(program("drover"));
    argv.insert(argv.end(), words.begin(), words.end());
    return tests::Started(argv, flock_.environment, "", flock_.file("")).finish();
  }
  // The content of the home, with types, sizes and times; links are not followed.
  std::string inventory() { return shell("find h -printf '%p %y %s %T@ %l\\n' | sort").out; }

  std::string home() const { return "DROVER_HOME=" + flock_.file("h"); }
  tests::Flock flock_;
};

struct Case {
  std::string arrange;  // A script, in the directory above the home `h`.
  Words changes;        // Of the environment; empty: DROVER_HOME is `h`.
  std::string says;
};

// W8: a home that is not set, or not absolute, is refused before anything is created.
TEST_F(Places, ThatAreInvalidAreRefused) {
  for (const Case& c : {Case{"", {"-u", "HOME", "-u", "DROVER_HOME"}, "set DROVER_HOME"},
                        {"", {"-u", "DROVER_HOME", "HOME="}, "set DROVER_HOME"},
                        {"", {"-u", "DROVER_HOME", "HOME=here"}, "set DROVER_HOME"},
                        {"", {"DROVER_HOME=here/home"}, "absolute"},
                        {"", {"DROVER_HOME=~/home"}, "absolute"}}) {
    const std::string before = inventory();
    for (const Words& words : {Words{"run", "--", "true"}, {"ps"}, {"doctor", "--verify"}}) {
      const tests::Output output = drover(c.changes, words);
      EXPECT_EQ(output.code, 2) << output.err;
      EXPECT_NE(output.err.find(c.says), std::string::npos) << output.err;
    }
    EXPECT_EQ(inventory(), before);
  }
}

// Anything in the place of one of our files is named and not changed.
TEST_F(Places, ThatAreTakenAreNotChanged) {
  for (const Case& c :
       {Case{"rmdir h && touch h", {}, "Not a directory"},
        {"touch h/state", {}, "Not a directory"},
        {"touch h/run", {}, "Not a directory"},
        {"touch h/config", {}, "Not a directory"},
        {"mkdir h/state; touch h/state/runs", {}, "Not a directory"},
        {"mkdir h/state; touch h/state/trash", {}, "Not a directory"},
        {"mkdir h/run; touch h/run/k", {}, "Not a directory"},
        {"mkdir h/state; ln -s nowhere h/state/runs", {}, "h/state/runs"},
        {"mkdir -p h/state/drover.db", {}, "h/state/drover.db"},
        {"mkdir -p h/state/drover.db/inside", {}, "h/state/drover.db"},
        {"mkdir -p h/state/droverd.log", {}, "h/state/droverd.log"},
        {"mkdir -p h/state/daemon.lock", {}, "h/state/daemon.lock"},
        {"mkdir h/state; ln -s ../victim h/state/daemon.lock", {}, "h/state/daemon.lock"},
        {"mkdir -p h/run/drover.sock", {}, "h/run/drover.sock"},
        {"touch file", {"-u", "DROVER_HOME", "HOME=file"}, "set DROVER_HOME"},
        {"", {"DROVER_HOME=/dev/null/home"}, "/dev/null/home"},
        {"", {"DROVER_HOME=/proc/home"}, "/proc/home"},
        {"", {"DROVER_HOME=/" + std::string(300, 'h')}, "File name too long"},
        {"", {"DROVER_HOME=" + flock_.file(std::string(5'000, 'h'))}, "File name too long"}}) {
    SCOPED_TRACE(c.arrange + (c.changes.empty() ? "" : c.changes.back().substr(0, 80)));
    shell("rm -rf h; mkdir h; echo secret > victim; " + c.arrange);
    const std::string arranged = shell("find h -printf '%p %y %l\\n' | sort").out;
    const tests::Output output =
        drover(c.changes.empty() ? Words{home()} : c.changes, {"run", "--", "true"});
    EXPECT_TRUE(output.code == 2 || output.code == 7 || output.code == 125) << output.code;
    EXPECT_NE(output.err.find(c.says), std::string::npos) << output.err;
    const std::string after = shell("find h -printf '%p %y %l\\n' | sort").out;
    for (size_t at = 0; at < arranged.size(); at = arranged.find('\n', at) + 1) {
      const std::string line = arranged.substr(at, arranged.find('\n', at) + 1 - at);
      EXPECT_NE(after.find(line), std::string::npos) << line << "has changed: " << after;
    }
    EXPECT_EQ(shell("cat victim").out, "secret\n");
  }
}

// Harmless oddities work: a lock file that nobody holds, a long or unusual name.
TEST_F(Places, ThatAreUnusualWork) {
  const std::string odd = flock_.file("a b'\"$(x)\n\xc3\xa9");
  for (const Case& c :
       {Case{"mkdir h/state; head -c 1000000 /dev/urandom > h/state/daemon.lock", {}, ""},
        {"mkdir h/state; echo 1 > h/state/daemon.lock", {}, ""},
        {"mkdir h/state; mkfifo h/state/fifo; touch h/state/drover.db", {}, ""},
        {"mkdir -p h/run; touch h/run/drover.sock", {}, ""},
        {"mkdir -p h/run; ln -s ../../victim h/run/drover.sock", {}, ""},
        {"rmdir h; mkdir real; ln -s real h", {}, ""},
        {"", {"DROVER_HOME=" + odd}, ""},
        {"", {home() + "///"}, ""},
        {"", {"DROVER_HOME=" + flock_.file(std::string(200, 'h'))}, ""},
        {"",
         {"-u", "DROVER_HOME", "HOME=" + flock_.file("h"),
          "XDG_RUNTIME_DIR=" + flock_.file("not/there")},
         ""}}) {
    SCOPED_TRACE(c.arrange + (c.changes.empty() ? "" : c.changes.back().substr(0, 80)));
    shell("rm -rf h; mkdir h; echo secret > victim; " + c.arrange);
    const Words changes = c.changes.empty() ? Words{home()} : c.changes;
    const tests::Output output = drover(changes, {"run", "--", "echo", "lives"});
    EXPECT_EQ(output.code, 0) << output.err;
    EXPECT_EQ(output.out, "lives\n");
    EXPECT_EQ(drover(changes, {"doctor", "--verify"}).code, 0);
    EXPECT_EQ(drover(changes, {"stop", "--no-start"}).code, 0);
    EXPECT_EQ(shell("cat victim").out, "secret\n");
  }
}

// The error for a locked home names the holder, without control characters.
TEST_F(Places, ThatAreLockedNameTheHolder) {
  shell("mkdir h/state; printf '\\033[31mgarbage\\377\\n' > h/state/daemon.lock");
  const Fd lock(::open(flock_.file("h/state/daemon.lock").c_str(), O_RDWR | O_CLOEXEC));
  struct flock wanted{};
  wanted.l_type = F_WRLCK;
  ASSERT_EQ(::fcntl(lock.get(), F_OFD_SETLK, &wanted), 0);
  flock_.environment["DROVER_HOME"] = flock_.file("h");
  const tests::Output output = flock_.droverd({});
  EXPECT_EQ(output.code, 6) << output.err;
  EXPECT_NE(output.err.find("daemon_running"), std::string::npos) << output.err;
  EXPECT_EQ(output.err.find('\033', output.err.find("daemon_running")), std::string::npos);
  EXPECT_EQ(output.err.find('\377'), std::string::npos);
}

// If a home's directories are removed under a running daemon, that is reported, not silently
// repaired: no earlier record is lost.
TEST_F(Places, ThatVanishAreReported) {
  flock_.environment["DROVER_HOME"] = flock_.file("h");
  const std::string id = flock_.run("exit 3");
  EXPECT_EQ(flock_.drover({"wait", id}).code, 3);
  const pid_t daemon = flock_.daemon();
  shell("mv h/state/runs h/state/elsewhere");
  const tests::Output output = flock_.drover({"run", "--", "true"});
  EXPECT_EQ(output.code, 125) << output.err;
  EXPECT_NE(output.err.find("h/state/runs"), std::string::npos) << output.err;
  EXPECT_EQ(tests::text_of(flock_.show(id), "state"), "failed");
  shell("mv h/state/elsewhere h/state/runs");
  EXPECT_EQ(flock_.drover({"run", "--", "true"}).code, 0);
  EXPECT_EQ(flock_.daemon(), daemon);
  flock_.expect_verified();
  flock_.ok({"stop"});
}

}  // namespace
}  // namespace drover::hostile
