// Daemon, cradle and keeper are killed in every order. Each may die alone; together they are
// responsible for the run.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <thread>

#include "tests/harness.h"
#include "tests/torture/judge.h"

namespace drover::tests {
namespace {

enum class Who : char { cradle = 'c', daemon = 'd', keeper = 'k', command = 'x' };
using Order = std::array<Who, 3>;

std::vector<Order> every_order(Order order) {
  std::vector<Order> all;
  std::ranges::sort(order);
  do {
    all.push_back(order);
  } while (std::ranges::next_permutation(order).found);
  return all;
}

class InOrder : public ::testing::TestWithParam<Order> {
 protected:
  InOrder()
      : run_(herd_.submit({.code = 3, .habits = "fo"})),
        other_(herd_.submit({.code = 4, .habits = "f"})) {
    herd_.wait_until_begun(run_);
    herd_.wait_until_begun(other_);
    cradle_ = tortured_.cradles().at(0);
    keeper_ = tortured_.keeper_of(run_.id);
  }

  void die(Who who) {
    switch (who) {
      case Who::cradle:
        EXPECT_TRUE(tortured_.kill_cradle(cradle_));
        return;
      case Who::daemon:
        EXPECT_TRUE(tortured_.kill_daemon());
        return;
      case Who::keeper:
        EXPECT_TRUE(tortured_.kill_keeper(keeper_));
        return;
      case Who::command:
        herd_.release(run_);
        return;
    }
  }

  std::string end_of(const RunRequest& request) {
    herd_.wait_for_end(request);
    const DaemonAnswer answer =
        tortured_.ask({.method = "GET", .target = "/api/runs/" + request.id});
    return text_of(answer.body, "state") + " " + text_of(answer.body, "reason");
  }

  TorturedHome tortured_;
  Herd herd_{tortured_};
  RunRequest& run_;
  RunRequest& other_;
  pid_t cradle_ = 0;
  pid_t keeper_ = 0;
};

class ThreeDeaths : public InOrder {};
class TwoDeathsAndAnEnd : public InOrder {};

// H10, R7: in every order, a run without a keeper is abandoned and all its processes are gone;
// another run is not affected.
TEST_P(ThreeDeaths, LeaveNothing) {
  for (const Who who : GetParam()) die(who);
  EXPECT_EQ(end_of(run_), "abandoned keeper_lost");
  herd_.release(other_);
  EXPECT_EQ(end_of(other_), "failed exit_nonzero");
  judge(herd_);
}

// The same with a new daemon after each death.
TEST_P(ThreeDeaths, WithANewDaemonAfterEach) {
  for (const Who who : GetParam()) {
    die(who);
    (void)tortured_.ask({.method = "GET", .target = "/api/status"});
  }
  EXPECT_EQ(end_of(run_), "abandoned keeper_lost");
  herd_.release(other_);
  EXPECT_EQ(end_of(other_), "failed exit_nonzero");
  judge(herd_);
}

// H10: the exit code of a command that exits before, between or after the deaths is kept.
TEST_P(TwoDeathsAndAnEnd, KeepTheExitCode) {
  for (const Who who : GetParam()) die(who);
  EXPECT_EQ(end_of(run_), "failed exit_nonzero");
  herd_.release(other_);
  EXPECT_EQ(end_of(other_), "failed exit_nonzero");
  judge(herd_);
}

std::string name_of(const ::testing::TestParamInfo<Order>& info) {
  std::string name;
  for (const Who who : info.param) name += static_cast<char>(who);
  return name;
}
INSTANTIATE_TEST_SUITE_P(Torture, ThreeDeaths,
                         ::testing::ValuesIn(every_order({Who::cradle, Who::daemon, Who::keeper})),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Torture, TwoDeathsAndAnEnd,
                         ::testing::ValuesIn(every_order({Who::cradle, Who::daemon, Who::command})),
                         name_of);

// Launch requests in the pipe when the daemon died run once: whether the old cradle wakes before
// the next daemon, after it, while it starts, or never.
TEST(Buffered, RequestsRunOnce) {
  enum class Wakes : std::uint8_t { before, meanwhile, after, never };
  for (const Wakes wakes : {Wakes::before, Wakes::meanwhile, Wakes::after, Wakes::never}) {
    TorturedHome tortured;
    Herd herd(tortured);
    herd.wait_for_end(herd.submit({}));
    const pid_t cradle = tortured.cradles().at(0);
    const auto wake = [cradle] { ::kill(cradle, SIGCONT); };
    ASSERT_EQ(::kill(cradle, SIGSTOP), 0);
    for (int i = 0; i < 20; ++i) herd.submit({.code = i});
    tortured.kill_daemon();
    if (wakes == Wakes::before) wake();
    {
      const std::jthread waker([&] {
        if (wakes == Wakes::meanwhile) wake();
      });
      tortured.start_daemon();
    }
    if (wakes == Wakes::never) tortured.kill_cradle(cradle);
    herd.wait_for_all();
    wake();
    judge(herd);
  }
}

// A cradle keeps neither the clients' connections nor the listening socket open: clients of a dead
// daemon would wait forever.
TEST(Cradle, HoldsNoConnection) {
  TorturedHome tortured;
  Herd herd(tortured);
  herd.wait_for_end(herd.submit({}));
  RunRequest& run = herd.submit({.habits = "f"});
  const std::jthread waiter([&] { herd.wait_for_end(run); });
  herd.wait_until_begun(run);
  ASSERT_TRUE(tortured.kill_cradle(tortured.cradles().at(0)));
  herd.wait_for_end(herd.submit({}));  // By the next daemon.
  // Its own sockets, to the daemon and to its keepers, are of another type.
  const std::string all = read_file("/proc/net/unix", 1 << 20).value_or("");
  for (const auto& entry : std::filesystem::directory_iterator(
           "/proc/" + std::to_string(tortured.cradles().at(0)) + "/fd")) {
    const std::string name = std::filesystem::read_symlink(entry).string();
    if (!name.starts_with("socket:[")) continue;
    const size_t at = all.find(" " + name.substr(8, name.size() - 9));
    ASSERT_NE(at, std::string::npos) << name << " is not a unix socket";
    const std::string line = all.substr(all.rfind('\n', at) + 1, at - all.rfind('\n', at));
    EXPECT_NE(line.find(" 0005 "), std::string::npos) << name << ": " << line;  // SOCK_SEQPACKET
  }
  herd.release(run);
  judge(herd);
}

// H10: a slot that becomes free during recovery is not given to an earlier queued run that must not
// start later.
TEST(Recovery, StartsNothingBeforeItIsDone) {
  TorturedHome tortured;
  Herd herd(tortured);
  RunRequest& first = herd.submit({.lane = "one", .limit = 1, .habits = "f"});
  RunRequest& second = herd.submit({.lane = "one", .limit = 1, .later = false});
  herd.wait_until_begun(first);
  tortured.kill_daemon();
  herd.release(first);
  herd.wait_until_let_go(first);
  herd.wait_for_all();
  EXPECT_FALSE(herd.is_begun(second));
  judge(herd);
}

// `on_restart: fail` applies to the daemon: if only its cradle dies, queued runs are started.
TEST(Recovery, IgnoresTheLossOfACradle) {
  TorturedHome tortured;
  Herd herd(tortured);
  herd.wait_for_end(herd.submit({}));
  const pid_t cradle = tortured.cradles().at(0);
  ASSERT_EQ(::kill(cradle, SIGSTOP), 0);
  RunRequest& run = herd.submit({.code = 3, .later = false});
  ASSERT_TRUE(tortured.kill_cradle(cradle));
  herd.wait_for_end(run);
  EXPECT_TRUE(herd.is_begun(run));
  judge(herd);
}

}  // namespace
}  // namespace drover::tests
