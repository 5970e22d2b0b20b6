// The verifier's promises about directories and processes, broken one by one in a healthy home.
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <functional>

#include "doctor/verify_fixture.h"
#include "doctor/world_checks.h"
#include "process/cgroup_files.h"
#include "process/cgroup_place.h"
#include "process/cgroup_search.h"
#include "process/pid_ref.h"

namespace drover::doctor {
namespace {

// A process with the environment mark of a run, as every process of a run has. It reads a pipe to
// its end, so it exits with this object, or with the test if that is killed.
class MarkedProcess {
 public:
  explicit MarkedProcess(const RunId& id) {
    int in[2];
    int out[2];
    EXPECT_EQ(::pipe2(in, O_CLOEXEC), 0);
    EXPECT_EQ(::pipe2(out, O_CLOEXEC), 0);
    to_ = Fd(in[1]);
    const Fd from(out[0]);
    Fd child_in(in[0]);
    Fd child_out(out[1]);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, child_in.get(), 0);
    ::posix_spawn_file_actions_adddup2(&actions, child_out.get(), 1);
    std::string name = "cat";
    std::string mark = "DROVER_RUN_ID=" + id.str();
    char* argv[] = {name.data(), nullptr};
    char* environment[] = {mark.data(), nullptr};
    EXPECT_EQ(::posix_spawnp(&pid, "cat", &actions, nullptr, argv, environment), 0);
    ::posix_spawn_file_actions_destroy(&actions);
    child_out.close();
    // Once it answers, it has executed, and its environment is readable.
    char letter = 'x';
    EXPECT_EQ(::write(to_.get(), &letter, 1), 1);
    EXPECT_EQ(::read(from.get(), &letter, 1), 1);
  }
  ~MarkedProcess() {
    kill();
    reap();
  }
  MarkedProcess(const MarkedProcess&) = delete;
  MarkedProcess& operator=(const MarkedProcess&) = delete;

  // Returns once it is dead. It stays a zombie until reap().
  void kill() {
    if (pid == 0) return;
    ::kill(pid, SIGKILL);
    siginfo_t info{};
    ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT);
  }
  void reap() {
    if (pid != 0) ::waitpid(pid, nullptr, 0);
    pid = 0;
  }

  pid_t pid = 0;

 private:
  Fd to_;
};

class WorldChecks : public VerifiedHome {
 public:
  void SetUp() override { ASSERT_TRUE(report().clean()) << as_text(report()); }

  // The broken promises if `then` runs when the verifier first asks for the state of `id`: after it
  // looked at directories and processes, and before it judges them.
  std::vector<std::string> broken_if(const RunId& id, std::function<void()> then) {
    auto database = store::sqlite::Database::open(home.database(), {.read_only = true, .vfs = {}});
    EXPECT_TRUE(database);
    struct Snapshot {
      std::string id;
      std::function<void()> then;
      int times = 0;
    } moment{id.str(), std::move(then)};
    sqlite3_trace_v2(
        database->raw(), SQLITE_TRACE_STMT,
        [](unsigned, void* context, void* statement, void*) {
          auto* at = static_cast<Snapshot*>(context);
          char* sql = sqlite3_expanded_sql(static_cast<sqlite3_stmt*>(statement));
          if (std::string(sql).find(at->id) != std::string::npos && at->times++ == 0) at->then();
          sqlite3_free(sql);
          return 0;
        },
        &moment);
    auto checks = check_world(*database, home);
    EXPECT_TRUE(checks);
    EXPECT_GT(moment.times, 0);
    return broken(Report{std::move(*checks)});
  }
};

constexpr auto kProcesses = "no process of a finished run is alive";

// Finds a directory that a crash left between its creation and the run's record.
TEST_F(WorldChecks, FindADirectoryWithoutARun) {
  const RunId nobody = ids.next();
  make_file(nobody);
  EXPECT_TRUE(breaks("every file and directory belongs to a run", nobody.str()));
}

// Ignores a new directory: its run may be recorded in a moment.
TEST_F(WorldChecks, IgnoreASubmissionInProgress) {
  const SystemClock now;
  make_file(IdMaker(now).next());
  EXPECT_TRUE(report().clean()) << as_text(report());
}

// Finds an active run without its file: it could never be started again.
TEST_F(WorldChecks, FindAnActiveRunWithoutItsFile) {
  ASSERT_EQ(::unlink(home.run_file(running).c_str()), 0);
  EXPECT_TRUE(breaks("every active run has its file", running.str()));
}

// A home without its directory of runs is checked all the same: the records tell what is missing.
TEST_F(WorldChecks, LookWithoutADirectoryOfRuns) {
  ASSERT_GT(std::filesystem::remove_all(home.runs()), 0U);
  EXPECT_EQ(broken(report()), std::vector<std::string>{"every active run has its file"});
}

// R7: finds a process that has shed every other mark, by the cgroup of a keeper that it is in.
TEST_F(WorldChecks, FindAProcessInACgroupWithoutARun) {
  const std::string own = process::own_cgroup();
  const std::string place = own + "/drover-" + process::place_name(home.state);
  if (own.empty() || ::mkdir(place.c_str(), 0700) != 0) GTEST_SKIP() << "no writable cgroup v2";
  const std::string cgroup = place + "/keeper-1-0123abcd";
  ASSERT_EQ(::mkdir(cgroup.c_str(), 0700), 0);
  EXPECT_TRUE(report().clean()) << "an empty one is of no interest";
  {
    MarkedProcess left(ids.next());  // Of another home.
    process::write_text(cgroup + "/cgroup.procs", std::to_string(left.pid));
    EXPECT_TRUE(breaks("no cgroup has processes without a run", cgroup));
    left.kill();
    left.reap();
  }
  process::clear_cgroup(place, "keeper-1-0123abcd");
  EXPECT_TRUE(report().clean());
  ::rmdir(place.c_str());
}

// R7: finds a process that outlived its run.
TEST_F(WorldChecks, FindAProcessOfAFinishedRun) {
  const MarkedProcess left(ended);
  EXPECT_TRUE(breaks(kProcesses, ended.str()));
  EXPECT_TRUE(breaks(kProcesses, std::to_string(left.pid)));
}

// R7: finds a process that outlived even its run's record and directory.
TEST_F(WorldChecks, FindAProcessOfADeletedRun) {
  const MarkedProcess left(deleted);
  EXPECT_TRUE(breaks(kProcesses, deleted.str()));
}

// R7: finds a process that has shed the environment of its run, by its session, its output, and the
// process that started it. Only if the run's end does not prove that no process was left.
TEST_F(WorldChecks, FindAProcessByItsOtherMarks) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const Fd read_end(ends[0]), write_end(ends[1]);
  struct stat pipe{};
  ASSERT_EQ(::fstat(ends[0], &pipe), 0);
  const std::uint64_t before = process::ticks_now();
  for (const bool by_session : {true, false}) {
    const pid_t left = ::fork();
    if (left == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      ::setsid();
      if (!by_session) ::dup2(write_end.get(), 1);
      (void)!::write(write_end.get(), "x", 1);
      while (true) ::pause();
    }
    char byte = 0;
    EXPECT_EQ(::read(read_end.get(), &byte, 1), 1);
    MarksRecord marks{
        .device = pipe.st_dev, .first_ticks = before, .last_ticks = process::ticks_now()};
    if (!by_session) marks.output[0] = pipe.st_ino;
    IdentityRecord keeper{.keeper = {.pid = 4711, .start_ticks = 1}};
    std::ranges::copy(process::boot_id().text, keeper.boot_id);
    const Fd journal(::open(home.run_file(ended).c_str(), O_RDWR | O_CLOEXEC));
    const std::string nothing(kJournalBytes, '\0');
    ASSERT_EQ(::pwrite(journal.get(), nothing.data(), nothing.size(), 0),
              static_cast<ssize_t>(nothing.size()));
    const std::int32_t command = by_session ? left : 0x3fffffff;
    ASSERT_TRUE(write_record(journal.get(), keeper));
    ASSERT_TRUE(write_start(journal.get(), {.command = {.pid = command}}, marks));
    EXPECT_TRUE(breaks(kProcesses, "process " + std::to_string(left) + " "));
    EXPECT_TRUE(breaks(kProcesses, ended.str() + (by_session ? ": it is in its process session; "
                                                             : ": it writes to its output; ")));
    EXPECT_TRUE(breaks(kProcesses, "`kill -9 " + std::to_string(left) + "`"));
    IdentityRecord other_boot = keeper;
    other_boot.boot_id[0] = '-';
    ASSERT_TRUE(write_record(journal.get(), other_boot));
    EXPECT_TRUE(report().clean()) << as_text(report());
    ASSERT_TRUE(write_record(journal.get(), keeper));
    ASSERT_TRUE(write_record(journal.get(), EndingRecord{}));  // Without survivors.
    EXPECT_TRUE(report().clean()) << as_text(report());
    ::kill(left, SIGKILL);
    ::waitpid(left, nullptr, 0);
  }
}

// Ignores the process of an active run, and processes of another home.
TEST_F(WorldChecks, IgnoreProcessesOfOtherHomes) {
  const MarkedProcess ours(running);
  const MarkedProcess theirs(ids.next());
  EXPECT_TRUE(report().clean()) << as_text(report());
}

// Ignores a process that exits, as a zombie or reaped, while the verifier runs: the daemon beside
// it finished the run just then.
TEST_F(WorldChecks, IgnoreAProcessThatExitsMeanwhile) {
  remove_file(ended);  // So that no other check asks for its state.
  MarkedProcess left(ended);
  EXPECT_EQ(broken_if(ended, [] {}), std::vector<std::string>{kProcesses});
  EXPECT_EQ(broken_if(ended, [&] { left.kill(); }), std::vector<std::string>{});
  MarkedProcess another(ended);
  EXPECT_EQ(broken_if(ended,
                      [&] {
                        another.kill();
                        another.reap();
                      }),
            std::vector<std::string>{});
}

// Ignores a directory that is moved to the trash while the verifier runs.
TEST_F(WorldChecks, IgnoreADirectoryThatIsDeletedMeanwhile) {
  const RunId nobody = ids.next();
  make_file(nobody);
  EXPECT_EQ(broken_if(nobody, [&] { remove_file(nobody); }), std::vector<std::string>{});
}

// Ignores an active run that finishes and is deleted while the verifier runs.
TEST_F(WorldChecks, IgnoreAnActiveRunThatIsDeletedMeanwhile) {
  remove_file(running);
  EXPECT_EQ(broken_if(running, [&] { end(running); }), std::vector<std::string>{});
}

// R15: finds an environment that is still stored after its run finished.
TEST_F(WorldChecks, FindAnEnvironmentOfAFinishedRun) {
  const RunId id = submit();
  end(id);
  EXPECT_TRUE(breaks("no environment outlives its run", id.str()));
  forget_environment(id);
  EXPECT_TRUE(report().clean()) << as_text(report());
}

// Ignores the environment of a run that finished just now: it is removed after the end is recorded.
TEST_F(WorldChecks, IgnoreAnEnvironmentAboutToBeRemoved) {
  const RunId id = submit();
  clock.set_wall(SystemClock().wall_ms());
  end(id);
  EXPECT_TRUE(report().clean()) << as_text(report());
}

}  // namespace
}  // namespace drover::doctor
