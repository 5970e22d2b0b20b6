#include "tests/torture/tortured_home.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "base/journal.h"
#include "process/marks.h"
#include "process/pid_ref.h"
#include "process/tree.h"

namespace drover::tests {
namespace {

constexpr int kPatienceMs = 60'000;  // Only ever reached by a bug.
constexpr int kStartsMax = 50;

std::atomic<std::uint64_t> g_deaths = 0;

std::string make_root() {
  char name[] = "/tmp/drover-trial-XXXXXX";
  return ::mkdtemp(name);
}

Fd open_pid(pid_t pid) {
  return Fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
}

bool wait_gone(const Fd& pidfd) {
  pollfd poll{.fd = pidfd.get(), .events = POLLIN, .revents = 0};
  return ::poll(&poll, 1, kPatienceMs) == 1;
}

bool is_dead(const process::Stat& stat) {
  return stat.state == 'Z' || stat.state == 'X';
}

// The line in which a daemon reports that it is ready, or the error. Empty: it died before that.
std::string verdict(const Fd& pipe) {
  std::string text;
  char buffer[512];
  while (text.find('\n') == std::string::npos) {
    pollfd poll{.fd = pipe.get(), .events = POLLIN, .revents = 0};
    if (::poll(&poll, 1, kPatienceMs) != 1) return "the daemon neither becomes ready nor exits\n";
    const ssize_t n = ::read(pipe.get(), buffer, sizeof buffer);
    if (n <= 0) return "";
    text.append(buffer, static_cast<size_t>(n));
  }
  return text;
}

}  // namespace

bool kill_process(pid_t pid) {
  const auto stat = process::look_at(pid);
  if (!stat || is_dead(*stat)) return false;
  const Fd pidfd = open_pid(pid);
  if (!pidfd || ::syscall(SYS_pidfd_send_signal, pidfd.get(), SIGKILL, nullptr, 0) != 0) {
    return false;
  }
  EXPECT_TRUE(wait_gone(pidfd)) << pid << " does not die";
  return true;
}

std::uint64_t all_deaths() {
  return g_deaths;
}

TorturedHome::TorturedHome(std::vector<std::string> daemon_options)
    : root_(make_root()),
      board(root_ + "/board"),
      home_{root_ + "/home/config", root_ + "/home/state", root_ + "/home/run"},
      options_(std::move(daemon_options)) {
  EXPECT_TRUE(make_private_directory(witnesses()));
}

TorturedHome::~TorturedHome() {
  g_deaths += deaths();
  board.disarm();
  if (daemon_ != 0) (void)kill_daemon();
  for (const bool cradles : {true, false}) {
    for (const pid_t pid : programs(cradles)) (void)kill_process(pid);
  }
  for (const auto& [member, id] : process::marked_by_name("DROVER_RUN_ID")) {
    if (std::filesystem::exists(home_.runs() + "/" + id + ".run"))
      (void)kill_process(member.ref.pid);
  }
  (void)remove_tree(root_);
}

TorturedHome::StartingDaemon TorturedHome::spawn_daemon() {
  int ready[2];
  if (::pipe2(ready, O_CLOEXEC) != 0) std::abort();
  StartingDaemon coming;
  coming.ready = Fd(ready[0]);
  const Fd theirs(ready[1]);
  std::vector<std::string> words{std::string(DROVER_BIN) + "/droverd", "--ready-fd",
                                 std::to_string(theirs.get())};
  words.insert(words.end(), options_.begin(), options_.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const std::string log = file("daemon.log");
  const std::string home = "DROVER_HOME=" + root_ + "/home";
  const std::string board_at = std::string(kCrashBoardVariable) + "=" + root_ + "/board";
  const char* environment[] = {home.c_str(), board_at.c_str(),     "PATH=/usr/bin:/bin",
                               "HOME=/tmp",  "TORTURE_SECRET=shh", nullptr};
  coming.pid = ::fork();
  if (coming.pid == 0) {
    const int out = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    const int null = ::open("/dev/null", O_RDWR);
    ::dup2(null, 0);
    ::dup2(out, 1);
    ::dup2(out, 2);
    ::fcntl(theirs.get(), F_SETFD, 0);
    ::execve(argv[0], argv.data(), const_cast<char**>(environment));
    ::_exit(98);
  }
  return coming;
}

void TorturedHome::start_daemon() {
  revive(generation_);
}

void TorturedHome::revive(int generation) {
  const std::lock_guard lock(mutex_);
  if (generation_ != generation) return;  // Another thread has done it.
  reap_daemon();
  for (int tries = 0; tries < kStartsMax; ++tries) {
    const StartingDaemon coming = spawn_daemon();
    daemon_ = coming.pid;
    const std::string said = verdict(coming.ready);
    if (said == "ready\n") {
      ++generation_;
      return;
    }
    EXPECT_EQ(said, "") << "the daemon does not become ready";
    reap_daemon();
  }
  ADD_FAILURE() << "no daemon becomes ready any more\n" << daemon_log();
  std::abort();  // All later results would be meaningless.
}

void TorturedHome::reap_daemon() {
  const pid_t pid = daemon_.exchange(0);
  if (pid == 0) return;
  EXPECT_TRUE(wait_gone(open_pid(pid))) << "the daemon is alive and does not answer";
  int status = 0;
  ::waitpid(pid, &status, 0);
  // It was killed by us or exited after a stop; never because of a bug.
  const bool in_order = WIFSIGNALED(status) ? WTERMSIG(status) == SIGKILL : status == 0;
  EXPECT_TRUE(in_order) << "the daemon ended with status " << status << "\n" << daemon_log();
}

DaemonAnswer TorturedHome::ask(const Request& request) {
  while (true) {
    const int generation = generation_;
    if (daemon_ != 0) {
      if (auto answer = ask_once(home_.socket(), request)) return *std::move(answer);
    }
    revive(generation);
  }
}

bool TorturedHome::kill_daemon() {
  const std::lock_guard lock(mutex_);
  const pid_t pid = daemon_;
  if (pid == 0) return false;
  const bool killed = kill_process(pid);
  if (killed) ++killed_;
  reap_daemon();
  return killed;
}

bool TorturedHome::strike_daemon() {
  const pid_t pid = daemon_;  // Not reused before we wait for it.
  if (pid == 0 || !kill_process(pid)) return false;
  ++killed_;
  return true;
}

void TorturedHome::stop_daemon() {
  const DaemonAnswer answer = ask({.method = "POST", .target = "/api/stop"});
  EXPECT_EQ(answer.status, 202) << answer.text;
  const std::lock_guard lock(mutex_);
  reap_daemon();
}

std::vector<pid_t> TorturedHome::programs(bool cradles) const {
  std::map<pid_t, process::Stat> all;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const auto pid = static_cast<pid_t>(std::atoi(entry.path().filename().c_str()));
    if (pid == 0) continue;
    const auto words = read_file(entry.path() / "cmdline", 64 * 1024);
    if (!words || !words->starts_with("drover-keeper") ||
        words->find('\0' + home_.runs() + '\0') == std::string::npos) {
      continue;
    }
    const auto stat = process::look_at(pid);
    if (stat && !is_dead(*stat)) all.emplace(pid, *stat);
  }
  // A cradle leads a session. So does a keeper's child, which looks the same until its exec: its
  // parent tells them apart.
  const auto is_cradle = [&](pid_t pid) {
    const auto found = all.find(pid);
    return found != all.end() && found->second.session == pid &&
           !all.contains(found->second.parent);
  };
  std::vector<pid_t> found;
  for (const auto& [pid, stat] : all) {
    const bool is_keeper =
        !is_cradle(pid) && (is_cradle(stat.parent) || !all.contains(stat.parent));
    if (cradles ? is_cradle(pid) : is_keeper) found.push_back(pid);
  }
  return found;
}

pid_t TorturedHome::keeper_of(const std::string& id) const {
  const auto journal = read_journal_state(home_.runs() + "/" + id + ".run");
  if (!journal || journal->liveness != Liveness::alive || !journal->text.identity) return 0;
  return journal->text.identity->keeper.pid;
}

bool TorturedHome::kill_keeper(pid_t keeper) {
  if (keeper == 0 || !kill_process(keeper)) return false;
  ++killed_;
  ++keepers_killed_;
  return true;
}

bool TorturedHome::kill_cradle(pid_t cradle) {
  if (cradle == 0 || !kill_process(cradle)) return false;
  ++killed_;
  return true;
}

void TorturedHome::wait_for_programs() const {
  for (const bool cradles : {false, true}) {
    for (const pid_t pid : programs(cradles)) {
      ::kill(pid, SIGCONT);  // A test may have stopped it.
      const Fd pidfd = open_pid(pid);
      if (pidfd)
        EXPECT_TRUE(wait_gone(pidfd)) << pid << " does not exit, although it has no work left";
    }
  }
}

std::string TorturedHome::daemon_log() const {
  const auto text = read_file(file("daemon.log"), 16 << 20);
  constexpr size_t kShown = 4'000;
  if (!text) return "";
  return text->size() > kShown ? text->substr(text->size() - kShown) : *text;
}

}  // namespace drover::tests
