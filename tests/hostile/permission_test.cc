// Drover as an ordinary user without permissions: unusual umasks, directories that are not writable
// or not searchable, a read-only file system, no /proc.
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "tests/hostile/attacked_flock.h"

namespace drover::hostile {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

class Permissions : public ::testing::Test {
 protected:
  Permissions() {
    fs::permissions(flock_.file(""), fs::perms(0755));
    copy_programs(flock_.file("bin"));
    fs::create_directory(flock_.file("yard"));
    if (::geteuid() == 0) EXPECT_EQ(::chown(flock_.file("yard").c_str(), 65534, 65534), 0);
    flock_.environment["DROVER_HOME"] = flock_.file("yard/h");
    flock_.environment["PATH"] = flock_.file("bin") + ":/usr/bin:/bin";
  }
  ~Permissions() override { (void)nobody("chmod -R u+rwX h 2>&1; drover stop --kill --no-start"); }

  tests::Output nobody(const std::string& script) {
    return tests::Started(as_nobody({"/bin/sh", "-c", script}), flock_.environment, "",
                          flock_.file("yard"))
        .finish();
  }
  // The same as our own user, in a mount namespace of its own. The home must be ours then.
  tests::Output mounted(const std::string& script) {
    EXPECT_EQ(::chown(flock_.file("yard").c_str(), ::geteuid(), ::getegid()), 0);
    return tests::Started({"/usr/bin/unshare", "-m", "/bin/sh", "-c", script}, flock_.environment,
                          "", flock_.file("yard"))
        .finish();
  }
  tests::Flock flock_;
};

// R15: a run can open neither the descriptors nor the memory of its keeper, its cradle and the
// daemon, although they have the same user. (Root may; so a test as root would prove nothing.)
TEST_F(Permissions, ARunCannotOpenOurPrograms) {
  const tests::Output output = nobody(R"sh(LC_ALL=C drover run -- sh -c '
      parent_of() { cut -d " " -f 4 /proc/$1/stat; }
      cradle=$(parent_of $PPID)
      for pid in $PPID $cradle $(parent_of $cradle); do
        cat /proc/$pid/comm
        for file in fd mem environ maps; do
          if ls /proc/$pid/$file/ >/dev/null 2>&1 || cat /proc/$pid/$file >/dev/null 2>error; then
            echo "$file is open"
          fi
          grep -o "Permission denied" error
          rm -f error
        done
      done
      ls /proc/$$/fd/ >/dev/null && cat /proc/$$/maps >/dev/null && echo own')sh");
  std::string wanted;
  for (const char* program : {"drover-keeper", "drover-keeper", "droverd"}) {
    wanted += program;
    for (int file = 0; file < 4; ++file) wanted += "\nPermission denied";
    wanted += "\n";
  }
  EXPECT_EQ(output.out, wanted + "own\n") << output.err;
}

// W8, R15: with any umask our directories and files are private, and commands get the original
// umask.
TEST_F(Permissions, AnyUmaskLeavesFilesPrivate) {
  for (const char* umask : {"0000", "0777", "0177", "0027"}) {
    SCOPED_TRACE(umask);
    const tests::Output output =
        nobody("umask " + std::string(umask) + "; drover run -- sh -c 'umask; echo words >&2'");
    EXPECT_EQ(output.code, 0) << output.err;
    EXPECT_EQ(output.out, umask + std::string("\n"));
    EXPECT_EQ(nobody("drover logs @last").out, umask + std::string("\nwords\n"));
    const tests::Output found = nobody("find h ! -type l -printf '%m %y %p\\n'");
    EXPECT_EQ(found.err, "");
    std::istringstream lines(found.out);
    for (std::string line; std::getline(lines, line);) {
      const std::string wanted = line.find(" d ") == 3 ? "700" : "600";
      EXPECT_TRUE(line.starts_with(wanted)) << line;
    }
    EXPECT_EQ(nobody("drover doctor --verify").code, 0);
    EXPECT_EQ(nobody("drover stop && rm -r h").code, 0);
  }
}

// H6: a directory that may not be entered, or a program that may not be executed, is a failed
// launch with its step.
TEST_F(Permissions, AForbiddenDirectoryOrProgramIsAFailedLaunch) {
  const std::string show = "; drover show @last --json";
  for (const auto& [script, step] :
       {std::pair("mkdir -p d; chmod 0 d; drover run --cwd $PWD/d -- true", "cwd"),
        std::pair("mkdir -p e/f; chmod 0 e; drover run --cwd $PWD/e/f -- true", "cwd"),
        std::pair("echo '#!/bin/sh' > p; chmod 0 p; drover run -- $PWD/p", "exec")}) {
    const tests::Output output = nobody(script + show);
    EXPECT_NE(output.out.find(R"("state":"failed")"), std::string::npos) << output.out;
    EXPECT_NE(output.out.find(R"("launch_error":"EACCES")"), std::string::npos) << output.out;
    EXPECT_NE(output.out.find(R"("launch_step":")" + std::string(step)), std::string::npos);
    EXPECT_NE(output.err, "");
  }
  EXPECT_EQ(nobody("drover doctor --verify").code, 0);
  nobody("chmod 700 d e");
}

// A home that is not writable, from the beginning or later, is reported; records stay readable, and
// once it is writable again, runs work.
TEST_F(Permissions, AHomeThatIsNotWritableIsReported) {
  nobody("mkdir h; chmod 500 h");
  tests::Output output = nobody("drover run -- true");
  EXPECT_EQ(output.code, 125) << output.err;
  EXPECT_NE(output.err.find("Permission denied"), std::string::npos) << output.err;
  EXPECT_NE(output.err.find("DROVER_HOME"), std::string::npos) << output.err;
  EXPECT_EQ(nobody("ls h").out, "");

  nobody("chmod 700 h");
  EXPECT_EQ(nobody("drover run -- sh -c 'exit 3'").code, 3);
  nobody("chmod 500 h/state/runs");
  output = nobody("drover run --json -- true");
  EXPECT_EQ(output.code, 125);
  EXPECT_NE(output.err.find("Permission denied"), std::string::npos) << output.err;
  EXPECT_NE(nobody("drover show @last --json").out.find(R"("exit_code":3)"), std::string::npos);
  EXPECT_EQ(nobody("drover rm @last").code, 125);
  nobody("chmod 700 h/state/runs");
  EXPECT_EQ(nobody("drover run -- true").code, 0);
  EXPECT_EQ(nobody("drover doctor --verify").code, 0);
}

// The same on a read-only mount.
TEST_F(Permissions, AReadOnlyDiskIsReported) {
  if (!can_mount()) return;  // The test above covers it by permissions.
  EXPECT_EQ(mounted("drover run -- true && drover stop").code, 0);
  const std::string read_only = "mount --bind h h && mount -o remount,ro,bind h && ";
  for (const char* words : {"drover run -- true", "drover ps", "droverd"}) {
    const tests::Output output = mounted(read_only + "exec " + words);
    EXPECT_TRUE(output.code == 7 || output.code == 125) << words << output.code;
    EXPECT_NE(output.err.find("Read-only file system"), std::string::npos) << output.err;
    EXPECT_NE(output.err.find("DROVER_HOME"), std::string::npos) << output.err;
  }
  EXPECT_EQ(mounted("drover ps -a --json | grep -o completed; drover stop").out, "completed\n");
}

// H6: without /proc, processes cannot be identified, so nothing is started, and the error says so.
TEST_F(Permissions, WithoutProcNothingStarts) {
  if (!can_mount()) return;
  const std::string empty = "mount -t tmpfs none /proc && ";
  for (const char* words : {"drover run -- touch ran", "droverd"}) {
    const tests::Output output = mounted(empty + "exec " + words);
    EXPECT_TRUE(output.code == 7 || output.code == 125) << words << output.code;
    EXPECT_NE(output.err.find("/proc"), std::string::npos) << output.err;
  }
  EXPECT_FALSE(fs::exists(flock_.file("yard/ran")));
}

}  // namespace
}  // namespace drover::hostile
