#include "process/cradle_loop.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>

#include "base/clock.h"
#include "base/crash_point.h"
#include "base/limits.h"
#include "base/short_turns.h"
#include "process/cgroup_place.h"

namespace drover::process {
namespace {

void on_child(int) {}  // Only interrupts a wait.

// Resets all signal handling that the daemon was started with, once: keepers and commands inherit
// it.
void reset_signals() {
  struct sigaction plain{};
  plain.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number) ::sigaction(number, &plain, nullptr);
  struct sigaction child{};
  child.sa_handler = on_child;
  ::sigaction(SIGCHLD, &child, nullptr);
  sigset_t all;
  sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
}

}  // namespace

int CradleLoop::run() {
  ::setsid();
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  reset_signals();
  take_short_turns();
  sigset_t waiting;
  sigfillset(&waiting);
  sigdelset(&waiting, SIGCHLD);
  while (!daemon_is_gone_ || !keepers_.empty() || !lost_.empty()) {
    pollfd poll{.fd = daemon_is_gone_ ? -1 : requests_, .events = POLLIN, .revents = 0};
    const timespec soon{.tv_sec = 0, .tv_nsec = 20'000'000};  // Orphans may be forking: look again.
    const int ready =
        ::ppoll(&poll, 1, lost_.empty() && unsent_.empty() ? nullptr : &soon, &waiting);
    if (ready > 0 && (poll.revents & POLLHUP) != 0) daemon_is_gone();
    if (ready > 0 && !daemon_is_gone_) take_requests();
    reap();
    if (!lost_.empty()) report_lost();
    std::erase_if(unsent_, [this](const Report& report) { return send(report); });
  }
  // Fails while the next daemon uses it.
  if (place_.cgroups != nullptr && *place_.cgroups != '\0') ::rmdir(place_.cgroups);
  return 0;
}

void CradleLoop::take_requests() {
  Request batch[kRequestsMax];
  const ssize_t n = ::read(requests_, batch, sizeof batch);
  if (n == 0) daemon_is_gone();
  if (n <= 0) return;
  crash_point("cradle.requests_read");
  for (size_t i = 0; i < static_cast<size_t>(n) / sizeof(Request); ++i) {
    // If the daemon has died, its successor decides about these requests: start nothing more.
    pollfd poll{.fd = requests_, .events = POLLIN, .revents = 0};
    if (::poll(&poll, 1, 0) > 0 && (poll.revents & POLLHUP) != 0) {
      daemon_is_gone();
      return;
    }
    begin(batch[i]);
  }
}

void CradleLoop::daemon_is_gone() {
  daemon_is_gone_ = true;
  spares_.dismiss();
}

void CradleLoop::begin(const Request& request) {
  (void)place_.forks->at(SystemClock().mono_ns());  // For the keepers that are forked from here.
  if (const std::int32_t spare = spares_.give(request); spare != 0) {
    crash_point("cradle.request_given");
    keepers_[spare] = request.tag;
    return;
  }
  Seat seat = spares_.prepare();
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::close(requests_);
    spares_.close_in_keeper();
    ::_exit(keep(place_, request, std::move(seat)));
  }
  if (pid > 0) {
    crash_point("cradle.forked");
    spares_.seated(seat, pid);
    keepers_.emplace(pid, request.tag);
    return;
  }
  Report report;
  report.header = {.bytes = sizeof(ReportHeader) + sizeof(LaunchFailure),
                   .kind = ReportKind::refused,
                   .tag = request.tag};
  report.failure = {.step = LaunchStep::spawn, .error_number = errno};
  if (!send(report)) unsent_.push_back(report);
}

void CradleLoop::reap() {
  while (true) {
    int status = 0;
    const pid_t pid = ::waitpid(-1, &status, WNOHANG);
    if (pid <= 0) return;
    const auto keeper = keepers_.find(pid);
    if (keeper == keepers_.end()) continue;  // An orphan.
    const bool was_waiting = spares_.gone(pid);
    if (status != 0 && !was_waiting) {
      lost_.push_back({keeper->second, pid, SystemClock().mono_ns()});
    }
    keepers_.erase(keeper);
  }
}

// Kills the children that are not keepers, and all below them: everything that a dead keeper leaves
// becomes a child of its cradle, whatever else it has shed. A process that is forked meanwhile is
// found in the next round. True once none is left that may be signaled; others cannot be waited
// for.
bool CradleLoop::kill_orphans() {
  bool found = false;
  const ProcessTable all = ProcessTable::scan();
  for (const Member& child : all.children(::getpid())) {
    if (keepers_.contains(child.ref.pid) || is_zombie(child.stat)) continue;
    for (const Member& below : all.below(child.ref.pid)) {
      found = send_signal(below.ref, SIGKILL) || found;
    }
    found = send_signal(child.ref, SIGKILL) || found;
  }
  return !found;
}

// The same by their cgroups, which no fork outruns. True once these are empty and removed.
bool CradleLoop::clear_cgroups() {
  bool all_gone = true;
  for (const std::string& name : cgroups_in(place_.cgroups)) {
    const std::int32_t keeper = keeper_of_cgroup(name);
    if (std::ranges::find(lost_, keeper, &Lost::keeper) == lost_.end()) continue;
    all_gone = try_to_clear_cgroup(place_.cgroups, name) && all_gone;
  }
  return all_gone;
}

void CradleLoop::report_lost() {
  const bool are_empty = clear_cgroups();
  const bool all_gone = kill_orphans() && are_empty;
  crash_point("cradle.orphans_killed");
  const std::int64_t now = SystemClock().mono_ns();
  std::erase_if(lost_, [&](const Lost& lost) {
    if (!all_gone && now - lost.since < limits::kKillWaitMs * 1'000'000) return false;
    Report report;
    report.header = {.bytes = sizeof(ReportHeader), .kind = ReportKind::lost, .tag = lost.tag};
    return send(report);
  });
}

// False: the socket is full now. A dead daemon needs no reports.
bool CradleLoop::send(const Report& report) {
  return ::write(place_.report, &report, report.header.bytes) >= 0 || errno != EAGAIN;
}

}  // namespace drover::process
