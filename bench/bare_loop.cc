// The baseline: how many /bin/true per second can this machine start with two pipes each, K at a
// time, and wait for? No durability, no containment, no records.
//
//   bench-bare-loop N K [COMMAND…]    prints runs per second, of COMMAND if one is given
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "base/clock.h"
#include "base/fd.h"

namespace {

using drover::Fd;

struct Child {
  pid_t pid = 0;
  Fd out, err;
};

Child start(char** argv) {
  int out[2], err[2];
  if (::pipe2(out, O_CLOEXEC) != 0 || ::pipe2(err, O_CLOEXEC) != 0) std::abort();
  Child child;
  child.out = Fd(out[0]);
  child.err = Fd(err[0]);
  const Fd out_end(out[1]), err_end(err[1]);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, out_end.get(), 1);
  ::posix_spawn_file_actions_adddup2(&actions, err_end.get(), 2);
  if (::posix_spawnp(&child.pid, argv[0], &actions, nullptr, argv, environ) != 0) std::abort();
  ::posix_spawn_file_actions_destroy(&actions);
  return child;
}

// True once both pipes are at their end; then waits for the child.
bool finish(Child& child) {
  char buffer[4096];
  for (Fd* pipe : {&child.out, &child.err}) {
    if (*pipe && ::read(pipe->get(), buffer, sizeof buffer) == 0) pipe->close();
  }
  if (child.out || child.err) return false;
  ::waitpid(child.pid, nullptr, 0);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  const int total = argc > 1 ? std::atoi(argv[1]) : 2000;
  const int at_once = argc > 2 ? std::atoi(argv[2]) : 8;
  char name[] = "/bin/true";
  char* plain[] = {name, nullptr};
  char** const command = argc > 3 ? argv + 3 : plain;
  const drover::SystemClock clock;
  const auto begin = clock.mono_ns();
  std::vector<Child> children;
  int started = 0, finished = 0;
  while (finished < total) {
    while (started < total && children.size() < static_cast<size_t>(at_once)) {
      children.push_back(start(command));
      ++started;
    }
    std::vector<pollfd> polls;
    for (const Child& child : children) {
      polls.push_back(
          {.fd = child.out ? child.out.get() : child.err.get(), .events = POLLIN, .revents = 0});
    }
    ::poll(polls.data(), polls.size(), -1);
    for (size_t i = children.size(); i-- > 0;) {
      if (polls[i].revents == 0 || !finish(children[i])) continue;
      children.erase(children.begin() + static_cast<std::ptrdiff_t>(i));
      ++finished;
    }
  }
  const double seconds = static_cast<double>(clock.mono_ns() - begin) / 1e9;
  std::printf("%.1f\n", total / seconds);
}
