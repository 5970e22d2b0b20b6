// A read-only state home: the error says so, and what to do.
#include "tests/disk/disk_fixture.h"

namespace drover::tests {
namespace {

using ReadOnly = DiskTest;
constexpr auto kAdvice = "Read-only file system; make it writable, or set DROVER_HOME";

// No daemon can start there. Once the home is writable, one starts.
TEST_F(ReadOnly, NoDaemonStarts) {
  flock_.ok({"status"});
  flock_.kill_daemon();
  disk_.fail(Trouble::read_only);
  Output refused;
  disk_.within([&] { refused = flock_.drover({"run", "--", "true"}); });
  EXPECT_NE(refused.code, 0);
  EXPECT_NE(refused.err.find(kAdvice), std::string::npos) << refused.err;
  disk_.repair();
  start_daemon();
  EXPECT_EQ(flock_.drover({"run", "--", "sh", "-c", "exit 3"}).code, 3);
}

// The same for a home that was never used.
TEST_F(ReadOnly, NoDaemonStartsInANewHome) {
  disk_.holds(flock_.file("home"));
  disk_.fail(Trouble::read_only);
  Output refused;
  disk_.within([&] { refused = flock_.drover({"run", "--", "true"}); });
  EXPECT_NE(refused.code, 0);
  EXPECT_NE(refused.err.find("Read-only file system"), std::string::npos) << refused.err;
}

// The file system becomes read-only under a daemon, as after an error: existing runs are shown, new
// ones are refused, and ends in the meantime are recorded afterwards.
TEST_F(ReadOnly, UnderADaemonRunsAreShownAndNewOnesRefused) {
  const pid_t daemon = start_daemon();
  const std::string id =
      flock_.run("echo out; " + until_file(flock_.file("go")) + "echo lost; exit 5");
  flock_.wait_for_state(id, "running");
  disk_.fail(Trouble::read_only);
  expect_refused(flock_.drover({"run", "--", "true"}), kAdvice);
  flock_.touch("go");
  wait_for_refusal();
  EXPECT_EQ(text_of(flock_.show(id), "state"), "running");
  disk_.repair();
  EXPECT_EQ(flock_.ended(id).at("exit_code"), 5);
  EXPECT_EQ(flock_.drover({"run", "--", "sh", "-c", "exit 3"}).code, 3);
  EXPECT_EQ(flock_.daemon(), daemon);
  flock_.expect_verified();
}

}  // namespace
}  // namespace drover::tests
