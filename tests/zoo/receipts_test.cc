// The claims of a receipt are compared with the kernel's own account, in many rounds: no code of
// ours takes part. A round lets one animal loose in a den of its own; several rounds run at once.
//
// DROVER_ZOO_ROUNDS sets the number of rounds (default 300). `./dev siege` runs thousands.
#include <fcntl.h>
#include <sys/file.h>

#include <atomic>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <thread>

#include "tests/race/client.h"
#include "tests/zoo/zoo.h"

namespace drover::zoo {
namespace {

namespace fs = std::filesystem;

struct Kind {
  const char* animal;
  std::vector<std::string> words = {};
  bool is_canceled = false;  // Once it is ready. Otherwise it ends by itself.
};

// Every third round is a swarm: it outruns every search.
const std::vector<Kind> kKinds{
    {"swarm", {"4", "10"}, true}, {"double_fork"},           {"kills_keeper_and_stays"},
    {"swarm_stays", {"2", "10"}}, {"own_session", {}, true}, {"daemon"},
    {"swarm", {"8", "3"}, true},  {"hidden", {}, true},      {"subreaper"},
    {"swarm_stays", {"1", "25"}}, {"storm", {"12"}, true},   {"unmarked"},
    {"swarm", {"2", "20"}, true}, {"hydra", {"8"}, true},    {"deaf_family"},
    {"sprinter", {}, true},       {"shedders", {}, true},    {"stopped_child"},
    {"zombies", {"20"}},          {"kills_keeper"},
};

bool is_swarm(const Kind& kind) {
  const std::string_view name = kind.animal;
  return name.starts_with("swarm") || name == "sprinter";
}

// An account of one den that the kernel keeps. Every process of the animal inherits a lock, which
// is released with the last of them: a swarm cannot slip through, as through a look at /proc.
class Account {
 public:
  explicit Account(const std::string& den) : den_(den), witness_(den) {
    fs::create_directories(den);
    lock_ = Fd(::open((den + "/lock").c_str(), O_RDONLY | O_CREAT | O_CLOEXEC, 0666));
  }
  // Empty: nobody is left.
  std::string who_is_left() const {
    std::string left;
    if (::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0) left = "somebody holds the lock of the den; ";
    ::flock(lock_.get(), LOCK_UN);
    // Some close all descriptors; they signed.
    for (const std::string& process : witness_.alive_signers()) left += process + "; ";
    return left;
  }

 private:
  std::string den_;
  AnimalWitness witness_;
  Fd lock_;
};

int rounds() {
  const char* text = std::getenv("DROVER_ZOO_ROUNDS");
  return text == nullptr ? 300 : std::atoi(text);
}

class Receipts : public Zoo, public ::testing::WithParamInterface<bool> {
 protected:
  static constexpr int kWorkers = 4;

  void play_round(race::Client& client, int round) {
    const Kind& kind = kKinds[static_cast<size_t>(round) % kKinds.size()];
    const std::string name = "den/" + std::to_string(round);
    SCOPED_TRACE("round " + std::to_string(round) + ": " + kind.animal);
    const Account account(flock_.file(name));
    // One swarm at a time: together they use up the pids of the machine.
    std::unique_lock<std::mutex> turn(swarms_, std::defer_lock);
    if (is_swarm(kind)) turn.lock();
    boost::json::array command{program_, kind.animal, flock_.file(name)};
    for (const std::string& word : kind.words) command.emplace_back(word);
    const std::string body = boost::json::serialize(
        boost::json::object{{"command", command}, {"cwd", "/"}, {"grace", "5ms"}});
    const std::string id = client.ask("POST", "/api/runs", body).text("run_id");
    if (kind.is_canceled) {
      flock_.wait_for_file(name + "/ready");
      (void)client.ask("POST", "/api/runs/" + id + "/cancel");
    }
    const race::HttpAnswer record = client.ask("GET", "/api/runs/" + id + "?wait=60s");
    const std::string left = account.who_is_left();
    flock_.touch(name + "/stop");
    compare(record, left);
    if (left.empty()) fs::remove_all(flock_.file(name));
  }

  void compare(const race::HttpAnswer& record, const std::string& left) {
    SCOPED_TRACE(boost::json::serialize(record.body));
    ASSERT_EQ(record.status, 200);
    ASSERT_NE(record.text("finished_at"), "");
    const boost::json::value& receipt = record.body.at("receipt");
    if (!receipt.is_object()) {  // Its keeper was killed: the end is recorded once all are dead.
      EXPECT_EQ(record.text("reason"), "keeper_lost");
      EXPECT_EQ(left, "");
      return;
    }
    ++receipts_;
    const auto survivors = receipt.at("survivors").to_number<int>();
    const std::string word = race::text_in(receipt.get_object(), "confirmed_by");
    if (survivors == 0) EXPECT_EQ(left, "") << "the receipt says that nobody is left";
    if (GetParam()) EXPECT_EQ(survivors, 0) << "a process left its cgroup alive";
    EXPECT_EQ(word, survivors > 0 ? "" : contained_ ? "empty_cgroup" : "no_children");
    survived_ += survivors > 0 ? 1 : 0;
  }

  bool contained_ = false;
  std::mutex swarms_;
  std::atomic<int> receipts_ = 0, survived_ = 0;
};

// R7: in every round, a receipt that says that nobody survived is right.
TEST_P(Receipts, AgreeWithTheKernel) {
  if (!GetParam()) take_cgroups_away();
  (void)flock_.daemon();
  const std::string first = let_loose("own_session");
  wait_until_ready();
  contained_ = GetParam() && is_contained(*witness_.seen().begin());
  flock_.ok({"cancel", first});
  std::atomic<int> next = 0;
  // Without cgroups every swarm runs until it is stopped: a tenth of the rounds.
  const int total = std::max(1, GetParam() ? rounds() : rounds() / 10);
  std::vector<std::thread> workers;
  for (int worker = 0; worker < kWorkers; ++worker) {
    workers.emplace_back([&] {
      race::Client client(flock_.home().socket());
      for (int round = 0; (round = next++) < total && !HasFailure();) play_round(client, round);
    });
  }
  for (std::thread& worker : workers) worker.join();
  EXPECT_GE(receipts_, total / 2);
  RecordProperty("survived", survived_);
  if (survived_ == 0) EXPECT_EQ(witness_.alive(), std::vector<std::string>{});
  flock_.expect_verified();
}

INSTANTIATE_TEST_SUITE_P(Zoo, Receipts, ::testing::Bool(), [](const auto& info) {
  return info.param ? "inCgroups" : "withoutCgroups";
});

}  // namespace
}  // namespace drover::zoo
