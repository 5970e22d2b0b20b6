#include "process/keeper.h"

#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>

#include "base/crash_point.h"
#include "base/short_turns.h"
#include "process/own_limits.h"

namespace drover::process {
namespace {

volatile std::sig_atomic_t g_told_to_stop = 0;
void on_term(int) {
  g_told_to_stop = 1;
}

// A SIGTERM that the last command sent to its keeper must not stop the next one.
void forget_stop() {
  sigset_t term;
  sigemptyset(&term);
  sigaddset(&term, SIGTERM);
  const timespec at_once{};
  ::sigtimedwait(&term, nullptr, &at_once);
  g_told_to_stop = 0;
}

}  // namespace

int keep(const KeeperPlace& place, Request request, Seat seat) {
  // A group of its own, in the session of the cradle, which has no terminal. A session per keeper
  // would cost a scheduling group each.
  ::setpgid(0, 0);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  struct sigaction action{};
  action.sa_handler = on_term;
  ::sigaction(SIGTERM, &action, nullptr);
  KeeperLoop::take_hangups();
  take_short_turns();
  const OwnLimits limits;
  crash_point("keeper.born");
  Cgroup cgroup;
  KeeperPlace own = place;
  own.cgroup = &cgroup;
  const auto leave = [&](int exit_status) {
    cgroup.remove();
    return exit_status;
  };
  while (true) {
    const Kept kept = KeeperLoop(own, request, g_told_to_stop).run();
    const bool is_as_new = kept.as_new && limits.are_unchanged();
    if (kept.exit_status != 0 || !is_as_new) return leave(kept.exit_status);
    crash_point("keeper.to_wait");
    const std::optional<Request> next = seat.wait(g_told_to_stop);
    if (!next) return leave(0);
    request = *next;
    crash_point("keeper.called_again");
    forget_stop();
  }
}

}  // namespace drover::process
