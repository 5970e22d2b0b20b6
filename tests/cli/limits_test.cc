// Resource limits and accounting through the real programs: Drover states correctly how each limit
// is enforced.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <boost/json/parse.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/harness.h"

namespace drover::tests {
namespace {

namespace fs = std::filesystem;
using boost::json::object;

std::string by(const object& run, const char* limit) {
  const auto* limits = run.if_contains("limits");
  if (limits == nullptr || !limits->as_object().contains(limit)) return "absent";
  return text_of(limits->as_object().at(limit).as_object(), "by");
}

// A home without cgroups, whatever the machine has.
class WithoutCgroups : public ::testing::Test {
 protected:
  WithoutCgroups() { flock_.environment["DROVER_CGROUP"] = "off"; }
  Flock flock_;
};

// A plain directory instead of the kernel's cgroup tree, so that tests can read what was written.
class WithCgroups : public ::testing::Test {
 protected:
  WithCgroups() {
    fs::create_directory(tree());
    write("cgroup.controllers", "cpuset cpu io memory hugetlb pids\n");
    write("cgroup.subtree_control", "");
    write("cgroup.procs", "");
    flock_.environment["DROVER_CGROUP"] = tree();
  }
  std::string tree() const { return flock_.file("tree"); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(tree() + "/" + name) << text;
  }
  // The directory of this home in that tree.
  std::string place() const {
    for (const auto& entry : fs::directory_iterator(tree())) {
      if (entry.path().filename().string().starts_with("drover-")) return entry.path();
    }
    return "";
  }
  std::string read(const std::string& run, const std::string& name) const {
    std::ifstream file(place() + "/" + run + "/" + name);
    std::string text;
    std::getline(file, text);
    return text;
  }
  Flock flock_;
};

constexpr const char* kLargeBlock = "dd if=/dev/zero of=/dev/null bs=200M count=1";

// S1: without cgroups, a memory limit is enforced by an rlimit for each process. A limit that
// cannot be enforced is reported: in the answer, in the record and in `show`.
TEST_F(WithoutCgroups, ReportsLimitsThatAreNotEnforced) {
  const Output answer = flock_.drover({"run", "-d", "--json", "--memory", "64M", "--cpus", "1.5",
                                       "--pids", "100", "--shell", kLargeBlock});
  ASSERT_EQ(answer.code, 0) << answer.err;
  const object handle = boost::json::parse(answer.out).as_object();
  const object ended = flock_.ended(text_of(handle, "run_id"));
  for (const object& told : {handle, ended}) {
    EXPECT_EQ(by(told, "memory"), "rlimit");
    EXPECT_EQ(by(told, "cpus"), "none");
    EXPECT_EQ(by(told, "pids"), "none");
  }
  EXPECT_EQ(text_of(ended, "state"), "failed");
  EXPECT_EQ(text_of(ended, "reason"), "exit_nonzero");
  const std::string page = flock_.ok({"show", "@last"});
  EXPECT_NE(page.find("memory 64M (rlimit)"), std::string::npos) << page;
  EXPECT_NE(page.find("cpus 1.5 (not enforced here)"), std::string::npos) << page;
  // A number is written as people write it, in the record and in the log.
  EXPECT_NE(flock_.ok({"show", "--json", "@last"}).find(R"("value":1.5,)"), std::string::npos);
  EXPECT_EQ(flock_.ok({"events", "--json"}).find("1.5E0"), std::string::npos);
  // Without the limit, the same command succeeds.
  EXPECT_EQ(flock_.drover({"run", "--shell", kLargeBlock}).code, 0);
  flock_.expect_verified();
}

// S1: `doctor` reports in advance that a limit cannot be enforced, and why.
TEST_F(WithoutCgroups, TheDoctorReportsUnenforcedLimits) {
  flock_.daemon();
  const Output out = flock_.drover({"doctor"});
  EXPECT_EQ(out.code, 0) << out.out;  // Nothing is broken.
  EXPECT_NE(out.out.find("note limits         enforced: --memory by rlimit"), std::string::npos)
      << out.out;
  EXPECT_NE(out.out.find("not enforced: --cpus, --pids; no cgroups: DROVER_CGROUP is off"),
            std::string::npos)
      << out.out;
}

// S1: with cgroups, `doctor` reports that they enforce the limits.
TEST_F(WithCgroups, TheDoctorSaysThatCgroupsEnforceLimits) {
  flock_.daemon();
  const std::string out = flock_.ok({"doctor"});
  EXPECT_NE(
      out.find(
          "ok   limits         enforced: --memory by cgroup, --cpus by cgroup, --pids by cgroup"),
      std::string::npos)
      << out;
}

// S1: a run's nice value is applied.
TEST_F(WithoutCgroups, NiceIsAdded) {
  const int before = std::stoi(flock_.ok({"run", "--", "nice"}));
  EXPECT_EQ(std::stoi(flock_.ok({"run", "--nice", "3", "--", "nice"})), std::min(19, before + 3));
  EXPECT_EQ(by(flock_.show("@last"), "nice"), "priority");
}

// R1: the resources that a run used are on record, and those of a running one are visible.
TEST_F(WithoutCgroups, UseIsAccounted) {
  const std::string id = flock_.run("i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done; touch " +
                                    flock_.file("busy") + "; " + until_file(flock_.file("go")));
  flock_.wait_for_file("busy");
  const object live = flock_.show(id);
  ASSERT_TRUE(live.at("usage").is_object());
  EXPECT_GE(live.at("usage").as_object().at("processes").as_int64(), 1);
  EXPECT_GT(live.at("usage").as_object().at("rss_bytes").as_int64(), 0);
  EXPECT_NE(flock_.ok({"show", id}).find("uses"), std::string::npos);
  flock_.touch("go");
  const object ended = flock_.ended(id);
  const object& receipt = ended.at("receipt").as_object();
  EXPECT_GT(ended.at("cpu_ms").as_int64(), 0);
  const std::int64_t parts =
      receipt.at("cpu_user_ms").as_int64() + receipt.at("cpu_system_ms").as_int64();
  EXPECT_LE(ended.at("cpu_ms").as_int64() - parts, 1);  // Each is rounded down.
  EXPECT_GE(receipt.at("written_bytes").as_int64(), 0);
  EXPECT_GE(receipt.at("read_bytes").as_int64(), 0);
}

// Compares each kept piece of the run's output with the same bytes of `printed`. Returns how many
// bytes were kept.
std::uint64_t compare_kept(Flock& flock, const std::string& id, const std::string& printed) {
  std::uint64_t kept = 0;
  std::istringstream lines(flock.ok({"logs", "--json", id}));
  for (std::string line; std::getline(lines, line);) {
    const object chunk = boost::json::parse(line).as_object();
    if (chunk.contains("gap")) continue;
    const std::string_view text = chunk.at("text").as_string();
    const auto offset = chunk.at("offset").to_number<std::uint64_t>();
    EXPECT_EQ(std::string_view(printed).substr(std::min(offset, printed.size()), text.size()), text)
        << "at " << offset;
    kept += text.size();
  }
  return kept;
}

// R11: beyond the output limit, head and tail are kept, each byte as it was printed, and the run
// continues; only on request it is stopped, with that reason.
TEST_F(WithoutCgroups, AnOutputLimitKeepsHeadAndTail) {
  const std::string script = "seq 1 20000; echo done";
  std::string printed;
  for (int i = 1; i <= 20'000; ++i) printed += std::to_string(i) + "\n";
  printed += "done\n";
  const std::string id = flock_.run(script, {"--output-limit", "8K"});
  const object kept = flock_.ended(id);
  EXPECT_EQ(text_of(kept, "state"), "completed");
  EXPECT_EQ(kept.at("stdout_bytes").to_number<std::uint64_t>(), printed.size());
  const std::uint64_t bytes = compare_kept(flock_, id, printed);
  EXPECT_LE(bytes, 8'192U);
  EXPECT_GT(bytes, 4'096U + 2'048U);  // The head, and at least half of the tail.
  const std::string log = flock_.drover({"logs", id}).out;
  // `logs` leaves out the parts of lines on both sides of the gap.
  EXPECT_TRUE(log.starts_with(printed.substr(0, printed.rfind('\n', 4'095) + 1)));
  EXPECT_TRUE(printed.ends_with(log.substr(log.size() - 2'048)));
  EXPECT_EQ(by(kept, "output"), "keeper");
  const object ended = flock_.ended(
      flock_.run(script + "; sleep 600", {"--output-limit", "8K", "--on-output-limit", "end"}));
  EXPECT_EQ(text_of(ended, "state"), "failed");
  EXPECT_EQ(text_of(ended, "reason"), "output_limit");
  EXPECT_GT(compare_kept(flock_, "@last", printed), 4'096U);
  EXPECT_TRUE(flock_.alive().empty());
}

// S1: a run that Drover stopped at its output limit has not succeeded, even if the command then
// exits with 0: `run` and `wait` exit with 125.
TEST_F(WithoutCgroups, AnOutputLimitExitsWith125) {
  const Output stayed = flock_.drover(
      {"run", "--output-limit", "8K", "--on-output-limit", "end", "--shell", "--",
       "trap 'exit 0' TERM; head -c 100000 /dev/zero | tr '\\0' a; while :; do sleep 0.1; done"});
  EXPECT_EQ(stayed.code, 125) << stayed.err;
  const object record = flock_.show("@last");
  EXPECT_EQ(record.at("exit_code").to_number<int>(), 0);
  EXPECT_EQ(flock_.drover({"wait", "@last"}).code, 125);
}

// An invalid limit is refused, the error names its field, and no run is created.
TEST_F(WithoutCgroups, AbsurdLimitsAreRefused) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> table{
      {{"--memory", "0"}, "limits.memory"},
      {{"--memory", "1K"}, "limits.memory"},
      {{"--memory", "-1"}, "limits.memory"},
      {{"--memory", "512 MB"}, "limits.memory"},
      {{"--memory", "9999999T"}, "limits.memory"},
      {{"--cpus", "0"}, "limits.cpus"},
      {{"--cpus", "nan"}, "limits.cpus"},
      {{"--cpus", "inf"}, "limits.cpus"},
      {{"--cpus", "1e9"}, "limits.cpus"},
      {{"--pids", "0"}, "limits.pids"},
      {{"--pids", "1.5"}, "limits.pids"},
      {{"--pids", "99999999"}, "limits.pids"},
      {{"--nice", "20"}, "limits.nice"},
      {{"--nice", "x"}, "limits.nice"},
      {{"--output-limit", "1"}, "limits.output"},
      {{"--output-limit", "99999T"}, "limits.output"},
      {{"--on-output-limit", "end"}, "limits.on_output"},
      {{"--output-limit", "8K", "--on-output-limit", "x"}, "limits.on_output"}};
  for (const auto& [options, field] : table) {
    std::vector<std::string> words{"run", "--json"};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {"--", "true"});
    const Output output = flock_.drover(words);
    EXPECT_EQ(output.code, 2) << options[0] << " " << options[1] << output.err;
    EXPECT_NE((output.out + output.err).find(field), std::string::npos)
        << options[0] << " " << options[1] << ": " << output.out << output.err;
  }
  EXPECT_TRUE(flock_.json({"ps", "--all"}).at("runs").as_array().empty());
}

// With cgroups, each limit is written to its file, and the command joins the cgroup before its
// exec.
TEST_F(WithCgroups, EachLimitIsSet) {
  const object run =
      flock_.ended(flock_.run("exit 0", {"--memory", "512M", "--cpus", "1.5", "--pids", "100"}));
  const std::string id = text_of(run, "run_id");
  for (const char* limit : {"memory", "cpus", "pids"}) EXPECT_EQ(by(run, limit), "cgroup") << limit;
  EXPECT_EQ(read(id, "memory.max"), "536870912");
  EXPECT_EQ(read(id, "memory.swap.max"), "0");
  EXPECT_EQ(read(id, "memory.oom.group"), "1");
  EXPECT_EQ(read(id, "cpu.max"), "150000 100000");
  EXPECT_EQ(read(id, "pids.max"), "100");
  EXPECT_EQ(read(id, "cgroup.procs"), "0");
  // A run without limits is in the cgroup of its keeper, and has none of its own.
  const object plain = flock_.ended(flock_.run("exit 0"));
  EXPECT_FALSE(fs::exists(place() + "/" + text_of(plain, "run_id")));
}

// R3: a run that the kernel killed for lack of memory has its own reason, with the limit, also if
// the daemon was dead at that time.
TEST_F(WithCgroups, OutOfMemoryIsAReason) {
  const std::string die = "cd " + tree() +
                          "/drover-*/$DROVER_RUN_ID; echo 'oom 1\noom_kill 1' > "
                          "memory.events; echo 4096000 > memory.peak; kill -9 $$";
  const object run = flock_.ended(flock_.run(die, {"--memory", "512M"}));
  EXPECT_EQ(text_of(run, "state"), "failed");
  EXPECT_EQ(text_of(run, "reason"), "out_of_memory");
  EXPECT_EQ(text_of(run, "origin"), "runtime");
  EXPECT_NE(text_of(run, "message").find("512M"), std::string::npos);
  EXPECT_EQ(run.at("receipt").as_object().at("memory_peak_bytes").as_int64(), 4096000);

  const std::string id = flock_.run(until_file(flock_.file("go")) + die, {"--memory", "512M"});
  flock_.wait_for_state(id, "running");
  flock_.kill_daemon();
  flock_.touch("go");
  EXPECT_EQ(text_of(flock_.ended(id), "reason"), "out_of_memory");
  flock_.expect_verified();
}

// H10: after a restart, limits are known and apply to the next attempt, and processes that a killed
// keeper left in the cgroup are killed.
TEST_F(WithCgroups, LimitsOutliveTheDaemon) {
  const std::string id = flock_.run("exit 3", {"--memory", "512M", "--retry", "1"});
  flock_.ended(id);
  flock_.kill_daemon();
  const object first = flock_.show(id);
  EXPECT_EQ(by(first, "memory"), "cgroup");
  const std::string next = text_of(first, "retried_by");
  EXPECT_EQ(by(flock_.ended(next), "memory"), "cgroup");
  EXPECT_EQ(read(next, "memory.max"), "536870912");

  const std::string lost = flock_.run("sleep 600", {"--memory", "512M"});
  flock_.wait_for_state(lost, "running");
  ::kill(flock_.keeper_of(lost), SIGKILL);
  EXPECT_EQ(text_of(flock_.ended(lost), "reason"), "keeper_lost");
  EXPECT_EQ(read(lost, "cgroup.kill"), "1");
}

// A cgroup tree that is not ours, or has no controllers, is not used; that is reported, and
// everything else works.
TEST_F(WithCgroups, IgnoresAnUnusableTree) {
  write("cgroup.controllers", "hugetlb\n");
  const object run = flock_.ended(flock_.run("exit 0", {"--memory", "512M", "--pids", "9"}));
  EXPECT_EQ(text_of(run, "state"), "completed");
  EXPECT_EQ(by(run, "memory"), "rlimit");
  EXPECT_EQ(by(run, "pids"), "none");
}

}  // namespace
}  // namespace drover::tests
