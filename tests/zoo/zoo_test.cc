// Every animal finishes as expected, with a correct receipt, and leaves no process behind (R7).
#include <algorithm>
#include <map>
#include <ostream>
#include <set>
#include <sstream>

#include "tests/zoo/zoo.h"

namespace drover::zoo {
namespace {

// A crash kills the daemon too; the next command starts another one.
enum class By : unsigned char { itself, cancel, timeout, crash };

struct Visit {
  const char* animal;
  By by = By::itself;
  Ending ending;
  std::vector<std::string> words = {};
  std::vector<std::string> options = {};
};

void PrintTo(const Visit& visit, std::ostream* out) {
  *out << visit.animal;
}

constexpr Range kOne{1, 1}, kTwo{2, 2}, kThree{3, 3};

Ending completed(Range left, bool killed) {
  const bool any = left.max > 0;
  return {.exit_code = 0, .orphans = left, .signaled = left, .termed = any, .killed = killed};
}

Ending failed(int code, Range left = {}, bool killed = false) {
  Ending ending = completed(left, killed);
  ending.state = "failed";
  ending.reason = "exit_nonzero";
  ending.exit_code = code;
  return ending;
}

// Ended from outside; whether other processes outlive the leader depends on nanoseconds.
Ending stopped_by(int signal, Range all, bool killed) {
  return {.state = "canceled",
          .reason = killed ? "cancel_forced" : "canceled_by_owner",
          .signal = signal,
          .orphans = {0, all.max},
          .signaled = all,
          .termed = true,
          .killed = killed};
}

Ending timed_out(Ending ending, const char* reason = "timeout") {
  ending.state = "timed_out";
  ending.reason = reason;
  return ending;
}

Ending with_code(Ending ending, int code) {
  ending.signal = -1;
  ending.exit_code = code;
  return ending;
}

Ending printing(Ending ending, long bytes) {
  ending.stdout_bytes = bytes;
  return ending;
}

const Ending kLost{.state = "abandoned", .reason = "keeper_lost", .has_receipt = false};
const Ending kToldToStop{
    .state = "failed", .reason = "signaled", .signal = 15, .signaled = kOne, .termed = true};

const std::vector<std::string> kShort{"--grace", "50ms"};
const std::vector<std::string> kLong{"--grace", "1h"};  // Never waited for.

// animal, ended by, ending, words, options
const std::vector<Visit> kVisits{
    {"double_fork", By::itself, failed(11, kOne), {}, kLong},
    {"daemon", By::itself, completed(kOne, false), {}, kLong},
    {"subreaper", By::itself, completed(kThree, false), {}, kLong},
    {"unmarked", By::itself, completed(kOne, true), {}, kShort},
    {"own_session", By::cancel, stopped_by(15, kTwo, false), {}, kLong},
    {"own_group", By::cancel, stopped_by(15, kTwo, false), {}, kLong},
    {"emigrant", By::itself, completed(kOne, false), {}, kLong},
    {"hidden", By::cancel, stopped_by(15, kThree, true), {}, kShort},

    {"zombies", By::itself, failed(3), {"300"}},
    {"storm", By::cancel, stopped_by(15, {301, 301}, true), {"300"}, kShort},
    {"hydra", By::cancel, stopped_by(9, {3, 64}, true), {"64"}, kShort},

    {"silent", By::itself, printing(failed(5), 11)},
    {"pipe_holder", By::itself, printing(failed(4, kOne), 13), {}, kLong},
    {"fountain", By::itself, printing(completed(kOne, true), -1), {}, kShort},
    {"polite", By::cancel, with_code(printing(stopped_by(15, kOne, false), 4), 0), {}, kLong},
    {"polite",
     By::timeout,
     timed_out(with_code(printing(stopped_by(15, kOne, false), 4), 0)),
     {},
     {"--timeout", "150ms", "--grace", "1h"}},

    {"deaf", By::cancel, stopped_by(9, kOne, true), {}, kShort},
    {"deaf",
     By::timeout,
     timed_out(stopped_by(9, kOne, true)),
     {},
     {"--timeout", "150ms", "--grace", "50ms"}},
    {"deaf_family", By::itself, completed(kThree, true), {}, kShort},
    {"stopped", By::cancel, stopped_by(15, kOne, false), {}, kLong},
    {"stopped",
     By::timeout,
     timed_out(stopped_by(15, kOne, false)),
     {},
     {"--timeout", "150ms", "--grace", "1h"}},
    {"stopped",
     By::timeout,
     timed_out(stopped_by(15, kOne, false), "idle_timeout"),
     {},
     {"--idle-timeout", "150ms", "--grace", "1h"}},
    {"stopped_child", By::itself, completed(kOne, false), {}, kLong},
    {"no_descriptors", By::itself, failed(9)},
    {"execs", By::itself, failed(10), {"200"}},
    {"renamed", By::cancel, stopped_by(9, kOne, true), {}, kShort},
    {"other_user", By::cancel, stopped_by(15, kTwo, true), {}, kShort},
    {"headless", By::itself, failed(13)},
    {"headless_child", By::itself, completed(kOne, false), {}, kLong},
    {"reader", By::itself, printing(completed({}, false), 2)},
    {"reader", By::cancel, stopped_by(15, kOne, false), {}, {"--stdin", "--grace", "1h"}},

    {"kills_keeper", By::itself, kLost},
    {"kills_keeper_and_stays", By::itself, kLost},
    {"emigrates_and_kills_keeper", By::itself, kLost},
    {"stops_keeper", By::cancel, stopped_by(15, kOne, false), {"60"}, kLong},
    {"stops_keeper", By::cancel, stopped_by(15, kOne, false), {"0"}, kLong},
    {"terminates_keeper", By::itself, kToldToStop, {}, kLong},
    {"pesters_keeper", By::itself, failed(6)},
    {"kills_daemon", By::crash, failed(7), {"LOCK"}},
    {"kills_cradle", By::itself, failed(8, kOne, true), {}, kShort},
    {"kills_everybody", By::crash, kLost, {"LOCK"}},
};

class Animals : public Zoo, public ::testing::WithParamInterface<Visit> {};

// R7: each animal finishes with the state, reason and receipt of its row, and no process is left.
TEST_P(Animals, FinishWithTheExpectedReceipt) {
  const Visit& visit = GetParam();
  const Fd daemon = tests::open_pid(flock_.daemon());
  const std::string id = let_loose(visit.animal, visit.words, visit.options);
  if (visit.by == By::cancel) {
    wait_until_ready();
    EXPECT_EQ(flock_.drover({"cancel", id}).code, 0);
  }
  if (visit.by == By::crash) tests::wait_gone(daemon);
  expect_ended(id, visit.ending);
  flock_.expect_verified();
}

std::string name_of(const ::testing::TestParamInfo<Visit>& info) {
  constexpr const char* kHow[] = {"byItself", "byCancel", "byTimeout", "byCrash"};
  return std::to_string(info.index) + "_" + info.param.animal + "_" +
         kHow[static_cast<int>(info.param.by)];
}

// An animal that forks and exits faster than any lookup is still killed.
TEST_F(Zoo, TheSprinterIsCaught) {
  const std::string id = let_loose("sprinter", {}, kShort);
  wait_until_ready();
  EXPECT_EQ(flock_.drover({"cancel", id}).code, 0);
  const auto generation = [&] { return read_file(den() + "/generation", 64).value_or(""); };
  const std::string before = generation();
  EXPECT_EQ(tests::text_of(flock_.ended(id), "reason"), "cancel_forced");
  flock_.expect_verified();
  EXPECT_EQ(generation(), before) << "it still runs";
  EXPECT_EQ(witness_.alive(), std::vector<std::string>{});
}

// A keeper uses its cgroup for one short command after another; no two keepers share one. (Entering
// a cgroup costs nearly nothing, making one does.)
TEST_F(Zoo, AKeeperUsesItsCgroupAgain) {
  std::map<std::string, std::set<std::string>> cgroups;  // By keeper.
  std::set<std::string> all;
  bool used_again = false;
  for (int i = 0; i < 50; ++i) {
    const std::string id = flock_.run("echo $PPID; sed -n s/^0:://p /proc/self/cgroup");
    flock_.ended(id);
    std::istringstream printed(flock_.ok({"logs", id}));
    std::string keeper, cgroup;
    std::getline(printed, keeper);
    std::getline(printed, cgroup);
    if (cgroup.find("/keeper-") == cgroup.npos) {
      GTEST_SKIP() << "runs have no cgroups here: " << cgroup;
    }
    EXPECT_NE(cgroup.find("/keeper-" + keeper + "-"), cgroup.npos) << cgroup;
    used_again = used_again || cgroups.contains(keeper);
    cgroups[keeper].insert(cgroup);
    all.insert(cgroup);
  }
  EXPECT_TRUE(used_again);
  for (const auto& [keeper, own] : cgroups) EXPECT_EQ(own.size(), 1U) << keeper;
  EXPECT_EQ(all.size(), cgroups.size());
}

// R7: two dozen processes that fork and exit all the time outrun every search. The kernel kills
// them with their cgroup. Without one, a receipt never says that nobody is left if somebody is.
class Swarm : public Zoo, public ::testing::WithParamInterface<bool> {};

TEST_P(Swarm, IsKilledOrNamed) {
  if (!GetParam()) take_cgroups_away();
  const std::string id = let_loose("swarm", {}, kShort);
  wait_until_ready();
  const bool contained = std::ranges::any_of(witness_.seen(), is_contained);
  EXPECT_EQ(flock_.drover({"cancel", id}).code, 0);
  const boost::json::object record = flock_.ended(id);
  const auto generation = [&] { return read_file(den() + "/generation", 64).value_or(""); };
  const std::string before = generation();
  ASSERT_TRUE(record.at("receipt").is_object()) << record;
  const boost::json::object& receipt = record.at("receipt").get_object();
  const auto survivors = receipt.at("survivors").to_number<int>();
  if (contained) {
    EXPECT_EQ(survivors, 0);
    EXPECT_EQ(tests::text_of(receipt, "confirmed_by"), "empty_cgroup");
  }
  if (survivors == 0) {
    flock_.expect_verified();
    EXPECT_EQ(generation(), before) << "it still runs";
    EXPECT_NE(tests::text_of(receipt, "confirmed_by"), "");
  } else {
    EXPECT_EQ(receipt.if_contains("confirmed_by"), nullptr);
  }
}

INSTANTIATE_TEST_SUITE_P(Zoo, Swarm, ::testing::Bool(), [](const auto& info) {
  return info.param ? "inACgroup" : "withoutACgroup";
});

INSTANTIATE_TEST_SUITE_P(Zoo, Animals, ::testing::ValuesIn(kVisits), name_of);

}  // namespace
}  // namespace drover::zoo
