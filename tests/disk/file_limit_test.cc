// A limit on the size of files (ulimit -f) is a full disk for each file: short writes, and a signal
// that kills a program which does not handle it.
#include <csignal>
#include <filesystem>

#include "tests/disk/disk_fixture.h"

namespace drover::tests {
namespace {

class FileLimit : public ::testing::Test {
 protected:
  // A shell with the limit starts the daemon, as a person's shell would.
  pid_t start_daemon() {
    const std::string program = std::string(DROVER_BIN) + "/drover";
    const Output started = Started({"/bin/sh", "-c", "ulimit -f 2048; exec " + program + " status"},
                                   flock_.environment, "")
                               .finish();
    EXPECT_EQ(started.code, 0) << started.err;
    return flock_.daemon();
  }
  static constexpr std::int64_t kLimit = 2048LL * 512;

  Flock flock_;
};

// R11, H10: the keeper stores what fits and counts the rest, and records the exit code; the limit
// applies to the command too.
TEST_F(FileLimit, CutsTheOutputAndNotTheRun) {
  const pid_t daemon = start_daemon();
  const std::string id = flock_.run("seq 1000000; exit 5");
  const auto run = flock_.ended(id);
  EXPECT_EQ(run.at("exit_code"), 5);
  EXPECT_EQ(run.at("stdout_bytes"), 6'888'896);
  EXPECT_EQ(run.at("receipt").at("dropped_bytes"), 6'888'896 - kLimit);
  // Whole lines: the one that the limit cut is left out.
  std::string printed;
  for (int i = 1; printed.size() < static_cast<size_t>(kLimit); ++i) {
    printed += std::to_string(i) + "\n";
  }
  printed.resize(printed.rfind('\n', kLimit - 1) + 1);
  EXPECT_TRUE(flock_.drover({"logs", id}).out == printed);
  const std::string writes = "head -c 2000000 /dev/zero > " + flock_.file("large");
  EXPECT_EQ(flock_.drover({"run", "--", "/bin/sh", "-c", "exec " + writes}).code, 128 + SIGXFSZ);
  EXPECT_EQ(flock_.daemon(), daemon);
}

// The database's WAL reaches the limit repeatedly; after a checkpoint it is overwritten.
TEST_F(FileLimit, DoesNotBreakTheDatabase) {
  const pid_t daemon = start_daemon();
  for (int i = 0; i < 60; ++i) {
    ASSERT_EQ(flock_.drover({"run", "--", "/bin/sh", "-c", "exit 3"}).code, 3) << i;
  }
  EXPECT_LE(std::filesystem::file_size(flock_.home().database() + "-wal"), size_t{kLimit});
  EXPECT_EQ(flock_.daemon(), daemon);
  flock_.expect_verified();
}

}  // namespace
}  // namespace drover::tests
