#include "diagnosis/judge.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace drover::diagnosis {
namespace {

// One process named "job", pid 7, blocked in `call`.
Process job(char state, std::string call = {}, std::vector<Target> targets = {}) {
  Process process{.pid = 7, .parent = 5, .name = "job", .state = state};
  Thread thread{.tid = 7, .state = state, .wchan = "somewhere"};
  if (!call.empty()) thread.call = Call{std::move(call), std::move(targets)};
  process.threads.push_back(std::move(thread));
  return process;
}

Scene scene_of(std::vector<Process> processes) {
  Scene scene{.processes = std::move(processes), .leader = 7, .keeper = 5, .keeper_state = 'S'};
  scene.keeper_pipes = {{.fd = 9, .name = "pipe:[100]"}};
  scene.sampled_ms = 200;
  return scene;
}

std::vector<std::string> kinds(const Scene& scene) {
  std::vector<std::string> out;
  for (const Finding& finding : judge(scene)) out.push_back(finding.kind);
  return out;
}

const Target kOurs{.fd = 0, .name = "pipe:[100]"};
const Target kPipe{.fd = 3, .name = "pipe:[200]"};
const Target kSocket{.fd = 4, .name = "socket:[300]", .detail = "tcp 127.0.0.1:1 → 127.0.0.1:2"};
const Target kTerminal{.fd = 0, .name = "/dev/pts/4"};

struct Case {
  const char* what;
  Process process;
  std::string first;  // The kind of the first finding.
};

// Each process state, and each call a process can be blocked in, has its kind of finding.
TEST(Judge, NamesTheCauseForEveryCall) {
  const Case cases[] = {
      {"stopped", job('T', "nanosleep"), "stopped"},
      {"traced", job('t', "read", {kOurs}), "traced"},
      {"uninterruptible", job('D', "fsync", {kPipe}), "uninterruptible"},
      {"reads the run's pipe", job('S', "read", {kOurs}), "reads_stdin"},
      {"polls it with others", job('S', "ppoll", {kSocket, kOurs}), "reads_stdin"},
      {"watches it by epoll", job('S', "epoll_wait", {kOurs}), "reads_stdin"},
      {"reads a terminal", job('S', "read", {kTerminal}), "reads_stdin"},
      {"writes to a full pipe of ours", job('S', "write", {kOurs}), "output_blocked"},
      {"reads somebody's pipe", job('S', "read", {kPipe}), "pipe"},
      {"reads a socket", job('S', "read", {kSocket}), "socket"},
      {"connects", job('S', "connect", {kSocket}), "socket"},
      {"receives", job('S', "recvfrom", {kSocket}), "socket"},
      {"accepts on an unknown descriptor", job('S', "accept4"), "socket"},
      {"reads a fifo", job('S', "read", {{.fd = 3, .name = "/tmp/fifo"}}), "file"},
      {"sleeps", job('S', "clock_nanosleep"), "sleeping"},
      {"waits for its child", job('S', "wait4"), "quiet"},
      {"waits in memory", job('S', "futex"), "deadlock"},
      {"is in a call we do not know", job('S', "syscall 999"), "quiet"},
      {"has a descriptor we may not see", job('S', "read", {{.fd = 3, .name = ""}}), "quiet"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.what);
    const auto found = judge(scene_of({c.process}));
    ASSERT_FALSE(found.empty());
    EXPECT_EQ(found.front().kind, c.first);
    EXPECT_FALSE(found.front().text.empty());
  }
}

// A finding contains its evidence: process, state, call, descriptor, kernel function.
TEST(Judge, ShowsItsEvidence) {
  const auto found = judge(scene_of({job('S', "read", {kSocket})}));
  EXPECT_EQ(found.front().pid, 7);
  EXPECT_EQ(found.front().evidence,
            "pid 7, state S, in read · fd 4 → socket:[300], tcp 127.0.0.1:1 → 127.0.0.1:2, wchan "
            "somewhere");
}

// For a process that waits for a lock, the finding names the holder if the kernel knows it.
TEST(Judge, NamesTheHolderOfALock) {
  Scene scene = scene_of({job('S', "flock", {{.fd = 3, .name = "/tmp/lock"}})});
  scene.locks = {{.waiter = 7, .kind = "flock", .holder = 9, .holder_name = "other"}};
  auto found = judge(scene);
  EXPECT_EQ(found.front().kind, "lock");
  EXPECT_NE(found.front().text.find("/tmp/lock"), std::string::npos);
  EXPECT_NE(found.front().text.find("other (9)"), std::string::npos);
  scene.locks[0].holder = 0;
  EXPECT_NE(judge(scene).front().text.find("does not name"), std::string::npos);
  scene.locks[0].waiter = 8;  // Another process waits.
  EXPECT_EQ(judge(scene).front().kind, "quiet");
}

// A call restarted after a signal is recognized by the kernel function it sleeps in.
TEST(Judge, RecognizesARestartedCall) {
  Process process = job('S', "restart_syscall");
  for (const auto& [wchan, kind] :
       {std::pair("hrtimer_nanosleep", "sleeping"), std::pair("futex_wait_queue", "deadlock"),
        std::pair("", "quiet")}) {
    process.threads[0].wchan = wchan;
    EXPECT_EQ(kinds(scene_of({process})).front(), kind) << wchan;
  }
}

// For a pipe within the run, the finding names the other end; otherwise it says that the other end
// is outside.
TEST(Judge, NamesTheOtherEndOfAPipe) {
  Process other{.pid = 8, .parent = 5, .name = "writer", .state = 'S'};
  Scene scene = scene_of({job('S', "read", {kPipe}), other});
  EXPECT_NE(judge(scene).front().text.find("outside this run"), std::string::npos);
  scene.processes[1].pipes = {{.fd = 1, .name = "pipe:[200]"}};
  EXPECT_NE(judge(scene).front().text.find("writer (8)"), std::string::npos);
}

// If all threads wait for a futex, that is a deadlock; if one does something else, it is not.
TEST(Judge, TellsADeadlockFromAThreadPool) {
  Process pool = job('S', "futex");
  pool.threads.push_back({.tid = 8, .state = 'S', .call = Call{"futex"}});
  pool.thread_count = 2;
  EXPECT_EQ(kinds(scene_of({pool})).front(), "deadlock");
  Process unseen = pool;
  unseen.thread_count = 3;  // One was not read.
  EXPECT_EQ(kinds(scene_of({unseen})).front(), "quiet");
  Process server = pool;
  server.threads[1].call = Call{"accept", {kSocket}};
  EXPECT_EQ(kinds(scene_of({server})).front(), "socket");
  Scene busy = scene_of({pool});
  busy.cpu_ms_between = 10;
  EXPECT_EQ(kinds(busy), std::vector<std::string>{"busy"});
}

// Findings about the whole run: since when it is quiet, that it is busy, that it is being killed.
TEST(Judge, ReportsOnTheWholeRun) {
  Scene scene = scene_of({job('S', "wait4")});
  scene.started_at = 1000;
  EXPECT_EQ(judge(scene).back().since, 1000);
  scene.printed_at = 2000;
  EXPECT_EQ(judge(scene).back().since, 2000);
  scene.cpu_ms_between = 100;
  EXPECT_EQ(judge(scene).back().kind, "busy");
  EXPECT_NE(judge(scene).back().text.find("50 %"), std::string::npos);
  scene.cpu_ms_between = 0;
  scene.processes[0].threads[0].state = 'R';  // Too little CPU time to count, but it is running.
  EXPECT_TRUE(judge(scene).empty());
  scene.leader_has_exited = true;
  scene.keeper_state = 'T';
  scene.blind = true;
  EXPECT_EQ(kinds(scene), (std::vector<std::string>{"ending", "keeper_stopped", "unseen"}));
}

// A zombie child is reported, except the keeper's own unreaped leader. The number of findings is
// limited.
TEST(Judge, ReportsZombiesUpToALimit) {
  Scene scene = scene_of({job('Z'), job('Z')});
  scene.processes[1].pid = 8;
  EXPECT_EQ(kinds(scene), (std::vector<std::string>{"dead_child", "quiet"}));
  std::vector<Process> many(1000, job('T'));
  EXPECT_LT(judge(scene_of(many)).size(), 20U);
}

// The most important finding comes first, whatever the order of the processes.
TEST(Judge, SortsFindingsByImportance) {
  Scene scene = scene_of({job('S', "clock_nanosleep"), job('S', "read", {kOurs}), job('T')});
  EXPECT_EQ(kinds(scene),
            (std::vector<std::string>{"stopped", "reads_stdin", "sleeping", "quiet"}));
  // Every kind that appears is in kKinds.
  for (const Finding& finding : judge(scene)) {
    EXPECT_NE(std::ranges::find_if(kKinds, [&](const char* k) { return finding.kind == k; }),
              std::end(kKinds));
  }
}

// An unreadable value makes the sum unknown, not zero.
TEST(Usage, SumsKnownValues) {
  Scene scene = scene_of({job('S'), job('S'), job('Z')});
  scene.processes[0].cpu_ms = 10;
  scene.processes[1].cpu_ms = 5;
  scene.processes[1].rss_bytes = 4096;
  EXPECT_EQ(usage_of(scene).processes, 2);
  EXPECT_EQ(usage_of(scene).cpu_ms, 15);
  EXPECT_EQ(usage_of(scene).rss_bytes, 4096);
  EXPECT_FALSE(usage_of(scene).read_bytes);
  scene.processes[0].read_bytes = 0;
  EXPECT_EQ(usage_of(scene).read_bytes, 0);
}

}  // namespace
}  // namespace drover::diagnosis
