// Daemon, cradle and keeper of a run are killed in every order, and in every combination. The run's
// processes have shed what they are recognized by, in every combination. Once the run's end is on
// record, none of them is alive, except where docs/run.md says that it is impossible without
// cgroups.
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "base/fd.h"
#include "tests/zoo/shed.h"
#include "tests/zoo/zoo.h"

namespace drover::zoo {
namespace {

enum class How : char { one_by_one, at_once };
struct Deaths {
  std::vector<std::string> order;
  How how = How::one_by_one;
  bool with_cgroups = false;
};

std::string words_of(const Deaths& deaths) {
  std::string text;
  for (const std::string& who : deaths.order) text += (text.empty() ? "" : " ") + who;
  return text;
}

void PrintTo(const Deaths& deaths, std::ostream* out) {
  *out << words_of(deaths);
}

// The last cell of the table in docs/run.md in the row for these deaths: what becomes of a process
// that has shed everything.
std::string documented(const Deaths& deaths) {
  const bool is_at_once = deaths.how == How::at_once && deaths.order.size() == 3;
  const std::string wanted = is_at_once                 ? "at the same moment"
                             : deaths.order.size() == 3 ? "`" + words_of(deaths) + "`"
                                                        : "one or two of them";
  std::istringstream text(read_file(std::string(DROVER_DOCS) + "/run.md", 1 << 20).value_or(""));
  for (std::string line; std::getline(text, line);) {
    if (!line.starts_with("|") || line.find(wanted) == std::string::npos) continue;
    const size_t end = line.rfind(" |");
    const size_t begin = line.rfind("| ", end - 1) + 2;
    return line.substr(begin, end - begin);
  }
  ADD_FAILURE() << "docs/run.md has no row for " << wanted;
  return "";
}

class Survivors : public Zoo, public ::testing::WithParamInterface<Deaths> {
 protected:
  void SetUp() override {
    if (!GetParam().with_cgroups) take_cgroups_away();
    pids_["daemon"] = flock_.daemon();
    pids_["cradle"] = flock_.cradle();
    id_ = let_loose("shedders");
    wait_until_ready();
    pids_["keeper"] = flock_.keeper_of(id_);
    for (int what = 0; what <= kShedsEverything; ++what) {
      for (const char* child : {"", "+"}) {
        const std::string name = std::to_string(what) + child;
        const std::string pid = read_file(den() + "/" + name, 64).value_or("0");
        planted_[name] = tests::open_pid(std::stoi(pid));
        ASSERT_TRUE(planted_[name]) << name;
        contained_ = is_contained(std::stoi(pid));
        if (!GetParam().with_cgroups) EXPECT_FALSE(contained_);
      }
    }
  }
  void TearDown() override {
    for (const auto& [name, process] : planted_) {
      ::syscall(SYS_pidfd_send_signal, process.get(), SIGKILL, nullptr, 0);
    }
  }

  void kill(const std::string& who) {
    const Fd process = tests::open_pid(pids_.at(who));
    ASSERT_EQ(::kill(pids_.at(who), SIGKILL), 0);
    tests::wait_gone(process);
    pids_.erase(who);
  }

  std::vector<std::string> alive() const {
    std::vector<std::string> names;
    for (const auto& [name, process] : planted_) {
      pollfd poll{.fd = process.get(), .events = POLLIN, .revents = 0};
      if (::poll(&poll, 1, 0) == 0) names.push_back(name);
    }
    return names;
  }

  std::string id_;
  bool contained_ = false;
  std::map<std::string, pid_t> pids_;
  std::map<std::string, Fd> planted_;
};

// R7, H10: in every order of deaths, for every combination that the processes have shed.
TEST_P(Survivors, AreExactlyTheDocumentedOnes) {
  const Deaths& deaths = GetParam();
  if (deaths.how == How::at_once) {  // Nobody has the time to react to a death.
    for (const std::string& who : deaths.order) ASSERT_EQ(::kill(pids_.at(who), SIGSTOP), 0);
  }
  for (const std::string& who : deaths.order) {
    kill(who);
    const bool is_seen = pids_.contains("cradle") || pids_.contains("daemon");
    if (deaths.how == How::one_by_one && who == "keeper" && is_seen) {
      for (const auto& [name, process] : planted_) tests::wait_gone(process);
    }
  }
  if (pids_.contains("keeper")) {  // The run continues.
    EXPECT_EQ(alive().size(), planted_.size());
    EXPECT_EQ(flock_.drover({"cancel", "--grace", "0ms", id_}).code, 0);
    EXPECT_EQ(tests::text_of(flock_.show(id_), "state"), "canceled");
  } else {
    EXPECT_EQ(tests::text_of(flock_.ended(id_), "reason"), "keeper_lost");
  }
  std::vector<std::string> expected;
  if (documented(deaths) == "lives" && !contained_) expected = {"11", "11+", "15", "15+"};
  EXPECT_EQ(alive(), expected);
  flock_.expect_verified();
}

static_assert((kShedsEnvironment | kShedsSession | kShedsOutput) == 11);

class OrphansOfKeepers : public Zoo {
 protected:
  void kill(pid_t pid) {
    const Fd process = tests::open_pid(pid);
    ASSERT_EQ(::kill(pid, SIGKILL), 0);
    tests::wait_gone(process);
  }
  pid_t pid_in(const std::string& name) { return std::stoi(*read_file(flock_.file(name), 64)); }
  size_t zombies_of(pid_t parent) {
    return static_cast<size_t>(std::ranges::count_if(
        process::ProcessTable::scan().children(parent),
        [](const process::Member& child) { return process::is_zombie(child.stat); }));
  }
};

// R7: cradle and keeper are killed. The daemon kills all processes that the keeper leaves, logs
// each once, with its run if that is known, and reaps them. A keeper that becomes a child of the
// daemon when its cradle dies keeps running.
TEST_F(OrphansOfKeepers, AreKilledByTheDaemon) {
  const std::string other =
      flock_.run(tests::until_file(flock_.file("go")) + "cat; exit 4", {"--stdin"});
  const std::string id =
      flock_.run("env -i setsid sleep 987 > /dev/null 2>&1 & echo $! > " + flock_.file("escaped") +
                 "; env -i sleep 986 > /dev/null 2>&1 & echo $! > " + flock_.file("marked") +
                 "; touch " + flock_.file("up") + "; sleep 985");
  flock_.wait_for_file("up");
  flock_.wait_for_state(other, "running");
  const pid_t daemon = flock_.daemon();
  const pid_t keeper = flock_.keeper_of(id);
  kill(flock_.cradle());
  const pid_t escaped = pid_in("escaped"), marked = pid_in("marked");
  const Fd first = tests::open_pid(escaped), second = tests::open_pid(marked);
  kill(keeper);
  tests::wait_gone(first);
  tests::wait_gone(second);
  EXPECT_EQ(tests::text_of(flock_.ended(id), "reason"), "keeper_lost");
  const std::string log = read_file(flock_.home().log(), 1 << 20).value_or("");
  for (const pid_t pid : {escaped, marked}) {
    const std::string said = " " + std::to_string(pid) + " (";
    const size_t at = log.find(said);
    ASSERT_NE(at, std::string::npos) << log;
    EXPECT_EQ(at, log.rfind(said)) << log;
    const std::string line = log.substr(log.rfind('\n', at) + 1, at - log.rfind('\n', at));
    if (pid == marked) EXPECT_NE(line.find(id), std::string::npos) << line;
  }
  flock_.ok({"send", "--eof", other}, "after\n");  // Through the keeper's socket.
  flock_.touch("go");
  EXPECT_EQ(flock_.drover({"wait", other}).code, 4);
  EXPECT_EQ(flock_.ok({"logs", other}), "after");
  EXPECT_EQ(flock_.drover({"run", "--", "/bin/sh", "-c", "exit 5"}).code, 5);  // A new cradle.
  EXPECT_EQ(flock_.daemon(), daemon);
  EXPECT_EQ(zombies_of(daemon), 0U);
  flock_.expect_verified();
}

// A process that becomes the daemon may have children of its own: they are not a keeper's, and are
// left alone, as is what they leave.
TEST_F(OrphansOfKeepers, AreNotTheChildrenOfAScript) {
  const std::string script = "sh -c 'sleep 983 & echo $! > " + flock_.file("below") +
                             "; wait' & echo $! > " + flock_.file("child") +
                             "; exec " DROVER_BIN "/drover serve";
  tests::Started serving({"/bin/sh", "-c", script}, flock_.environment, "");
  serving.wait_for_error("ready: pid");
  flock_.wait_for_file("below");
  const Fd below = tests::open_pid(pid_in("below"));
  const std::string id = flock_.run("sleep 1000");
  flock_.wait_for_state(id, "running");
  kill(flock_.keeper_of(id));
  EXPECT_EQ(tests::text_of(flock_.ended(id), "reason"), "keeper_lost");
  EXPECT_EQ(::kill(pid_in("child"), SIGKILL), 0);  // Its children become children of init.
  EXPECT_EQ(flock_.drover({"run", "--", "/bin/sh", "-c", "exit 5"}).code, 5);
  pollfd poll{.fd = below.get(), .events = POLLIN, .revents = 0};
  EXPECT_EQ(::poll(&poll, 1, 0), 0) << "it was killed";
  ::syscall(SYS_pidfd_send_signal, below.get(), SIGKILL, nullptr, 0);
  flock_.ok({"stop", "--kill"});
  (void)serving.finish();
}

// R7: `drover doctor` names a process that outlived its run, and says what to do.
TEST_F(OrphansOfKeepers, AreReportedByTheDoctor) {
  const std::string id = flock_.run("exit 0");
  flock_.ended(id);
  EXPECT_EQ(flock_.drover({"doctor"}).code, 0);
  const std::string running = flock_.run("sleep 1000");
  flock_.wait_for_state(running, "running");
  {
    const tests::Started left({"/bin/sleep", "1000"}, {{"DROVER_RUN_ID", id}}, "");
    const std::string pid = std::to_string(left.pid());
    tests::Output output = flock_.drover({"doctor"});
    while (output.out.find("process " + pid) == std::string::npos && output.code == 0) {
      output = flock_.drover({"doctor"});  // It may not have executed yet.
    }
    EXPECT_EQ(output.code, 1);
    EXPECT_NE(
        output.out.find("bad  processes      process " + pid + " (sleep) is still alive after " +
                        id + ": it has its environment; end it with `kill -9 " + pid + "`"),
        std::string::npos)
        << output.out;
    EXPECT_EQ(output.out.find(running), std::string::npos) << output.out;
    EXPECT_EQ(flock_.drover({"doctor", "--verify"}).code, 1);
  }
  EXPECT_EQ(flock_.drover({"doctor"}).code, 0);
  EXPECT_EQ(flock_.drover({"--no-start", "cancel", running}).code, 0);
}

std::vector<Deaths> every_combination() {
  std::vector<Deaths> all;
  for (int members = 1; members < 8; ++members) {
    std::vector<std::string> order;
    if ((members & 1) != 0) order.emplace_back("cradle");
    if ((members & 2) != 0) order.emplace_back("daemon");
    if ((members & 4) != 0) order.emplace_back("keeper");
    do {
      for (const bool with_cgroups : {false, true}) {
        all.push_back({order, How::one_by_one, with_cgroups});
        if (order.size() > 1) all.push_back({order, How::at_once, with_cgroups});
      }
    } while (std::ranges::next_permutation(order).found);
  }
  return all;
}

std::string name_of(const ::testing::TestParamInfo<Deaths>& info) {
  std::string name = info.param.with_cgroups ? "inCgroups_" : "";
  name += info.param.how == How::at_once ? "atOnce" : "oneByOne";
  for (const std::string& who : info.param.order) name += "_" + who;
  return name;
}

INSTANTIATE_TEST_SUITE_P(Zoo, Survivors, ::testing::ValuesIn(every_combination()), name_of);

}  // namespace
}  // namespace drover::zoo
