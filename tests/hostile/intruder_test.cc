// A run turns against its own keeper, which belongs to the same user. That costs at most this run.
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "tests/hostile/attacked_flock.h"

namespace drover::hostile {
namespace {

using tests::text_of;

class Intruder : public AttackedFlock {
 protected:
  std::int64_t exit_code_of(const std::string& id) {
    return flock_.ended(id).at("exit_code").to_number<std::int64_t>();
  }
  std::string wait(const std::string& name) { return tests::until_file(flock_.file(name)); }
};

// R7: the reports of all keepers pass through one socket. Whatever a run writes into the
// descriptors of its keeper, the daemon neither exits nor misses the end of another run.
TEST_F(Intruder, BytesInTheDescriptorsOfAKeeperCostNoOtherRun) {
  const pid_t daemon = flock_.daemon();
  // Too short for a header; a header that promises more; a kind that does not exist.
  const std::string all[] = {"x", "0123456789abcdef", R"(\020\0\0\0\077\0\0\0aaaaaaaa)"};
  for (const std::string& junk : all) {
    const std::string name = "go" + std::to_string(&junk - all);
    const std::string other = flock_.run(wait(name) + "exit 7");
    flock_.wait_for_state(other, "running");
    flock_.ended(flock_.run("for pipe in /proc/$PPID/fd/*; do test -p $pipe && printf '" + junk +
                            "' > $pipe; done; true"));
    EXPECT_EQ(exit_code_of(flock_.run("exit 3")), 3);
    flock_.touch(name);
    EXPECT_EQ(exit_code_of(other), 7);
  }
  EXPECT_EQ(flock_.daemon(), daemon);
  flock_.expect_verified();
}

// The same with packets that only root can send: it takes the socket out of the keeper.
TEST_F(Intruder, PacketsInTheReportSocketCostNoOtherRun) {
  const pid_t daemon = flock_.daemon();
  const std::string other = flock_.run(wait("go") + "exit 7");
  const std::string victim = flock_.run(wait("end"));
  flock_.wait_for_state(other, "running");
  flock_.wait_for_state(victim, "running");
  const pid_t keeper = flock_.keeper_of(victim);
  const Fd process(static_cast<int>(::syscall(SYS_pidfd_open, keeper, 0)));
  ASSERT_TRUE(process);
  int sent = 0;
  for (int number = 3; number < 64; ++number) {
    const Fd copy(static_cast<int>(::syscall(SYS_pidfd_getfd, process.get(), number, 0)));
    int type = 0;
    socklen_t size = sizeof type;
    if (!copy || ::getsockopt(copy.get(), SOL_SOCKET, SO_TYPE, &type, &size) != 0) continue;
    if (type == SOCK_SEQPACKET && ::send(copy.get(), "junk", 4, MSG_NOSIGNAL) == 4) ++sent;
  }
  if (::geteuid() == 0) EXPECT_GE(sent, 1);
  if (::geteuid() != 0) EXPECT_EQ(sent, 0) << "the keeper is dumpable";
  EXPECT_EQ(exit_code_of(flock_.run("exit 3")), 3);
  flock_.touch("go");
  EXPECT_EQ(exit_code_of(other), 7);
  flock_.touch("end");
  EXPECT_EQ(exit_code_of(victim), 0);
  EXPECT_EQ(flock_.daemon(), daemon);
  flock_.expect_verified();
}

// R6: a keeper is used for several runs. One that cannot launch any more fails one of them.
TEST_F(Intruder, AKeeperThatCannotLaunchIsNotUsedAgain) {
  flock_.ended(flock_.run("prlimit --pid $PPID --nofile=4:4"));
  int failed = 0;
  for (int i = 0; i < 5; ++i) {
    failed += text_of(flock_.ended(flock_.run("exit 0")), "state") != "completed" ? 1 : 0;
  }
  EXPECT_LE(failed, 1);
  flock_.expect_verified();
}

}  // namespace
}  // namespace drover::hostile
