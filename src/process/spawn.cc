#include "process/spawn.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>

#include "base/crash_point.h"
#include "process/clone_into.h"

namespace drover::process {
namespace {

constexpr const char* kDefaultPath = "/usr/local/bin:/usr/bin:/bin";

// Shared between keeper and child, which run in the same memory until the exec.
struct Launch {
  const LoadedCommand& command;
  const Stdio& stdio;
  const Bounds& bounds;
  pid_t keeper;
  bool in_cgroup = false;
  LaunchStep failed_step = LaunchStep::none;
  int error_number = 0;
};

// Everything below runs in the child, before exec: system calls only, no allocation.

int fail_at(Launch& launch, LaunchStep step) {
  launch.error_number = errno;
  launch.failed_step = step;
  return 127;
}

bool is_directory(const char* path) {
  struct stat st{};
  return ::stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

// execve of one candidate; returns the errno that describes the problem best.
int try_exec(const char* path, const LoadedCommand& command) {
  ::execve(path, command.argv(), command.environment());
  if (errno == EACCES && is_directory(path)) return EISDIR;
  return errno;
}

int exec_found(const LoadedCommand& command) {
  const char* program = command.argv()[0];
  if (std::strchr(program, '/') != nullptr) return try_exec(program, command);
  const char* directories = command.variable("PATH");
  if (directories == nullptr) directories = kDefaultPath;
  int best = ENOENT;
  char path[PATH_MAX];
  for (const char* at = directories;; ++at) {
    const char* end = std::strchr(at, ':');
    if (end == nullptr) end = at + std::strlen(at);
    const auto length = static_cast<size_t>(end - at);
    const size_t name_length = std::strlen(program);
    if (length + name_length + 2 <= sizeof path) {
      std::memcpy(path, at, length);
      size_t n = length;
      if (length > 0) path[n++] = '/';  // An empty entry means the current directory.
      std::memcpy(path + n, program, name_length + 1);
      const int error = try_exec(path, command);
      // A directory or an unreadable file of that name is remembered, but a later candidate may
      // work.
      if (error != ENOENT && error != ENOTDIR && error != EACCES && error != EISDIR) return error;
      if (error == EACCES) best = EACCES;
    }
    at = end;
    if (*at == '\0') return best;
  }
}

// False, with errno set: a promised limit could not be enforced.
bool set_bounds(Launch& launch) {
  const Bounds& bounds = launch.bounds;
  if (!launch.in_cgroup && bounds.cgroup_entry >= 0) {
    launch.in_cgroup = ::write(bounds.cgroup_entry, "0", 1) == 1;
    if (!launch.in_cgroup && bounds.needs_cgroup) return false;
  }
  if (bounds.data_bytes != 0) {
    // Limits the data, not the address space: many programs reserve far more of that than they use.
    rlimit limit{};
    ::getrlimit(RLIMIT_DATA, &limit);
    limit.rlim_max = std::min<rlim_t>(limit.rlim_max, bounds.data_bytes);
    limit.rlim_cur = limit.rlim_max;
    if (::setrlimit(RLIMIT_DATA, &limit) != 0) return false;
  }
  if (bounds.nice == 0) return true;
  errno = 0;
  const int now = ::getpriority(PRIO_PROCESS, 0);
  return ::setpriority(PRIO_PROCESS, 0, now + bounds.nice) == 0;
}

int child(void* argument) {
  Launch& launch = *static_cast<Launch*>(argument);
  if (::setsid() < 0) return fail_at(launch, LaunchStep::session);
  crash_point("spawn.in_child", launch.keeper);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != launch.keeper) return 127;  // The keeper died before PDEATHSIG took effect.
  if (::dup2(launch.stdio.in, 0) < 0 || ::dup2(launch.stdio.out, 1) < 0 ||
      ::dup2(launch.stdio.err, 2) < 0) {
    return fail_at(launch, LaunchStep::pipes);
  }
  if (launch.stdio.terminal && ::ioctl(0, TIOCSCTTY, 0) != 0) {
    return fail_at(launch, LaunchStep::session);
  }
  ::syscall(SYS_close_range, 3U, ~0U, 4U /* CLOSE_RANGE_CLOEXEC */);
  ::umask(launch.command.header().umask & 0777);
  if (::chdir(launch.command.cwd()) != 0) return fail_at(launch, LaunchStep::cwd);
  if (!set_bounds(launch)) return fail_at(launch, LaunchStep::limits);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  crash_point("spawn.to_exec", launch.keeper);
  errno = exec_found(launch.command);
  return fail_at(launch, LaunchStep::exec);
}

}  // namespace

Spawned spawn(const LoadedCommand& command, const Stdio& stdio, const Bounds& bounds) {
  Launch launch{.command = command, .stdio = stdio, .bounds = bounds, .keeper = ::getpid()};
  // PATH_MAX and a few frames; used by one child at a time.
  alignas(16) static char stack[64 * 1024];
  pid_t pid = -1;
  if (bounds.cgroup >= 0) {
    launch.in_cgroup = true;
    pid = clone_into(bounds.cgroup, child, &launch, stack, sizeof stack);
    launch.in_cgroup = pid >= 0;
  }
  if (pid < 0)
    pid = ::clone(child, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, &launch);
  if (pid < 0) return {.failed_step = LaunchStep::spawn, .error_number = errno};
  if (launch.failed_step == LaunchStep::none) return {.pid = pid, .in_cgroup = launch.in_cgroup};
  ::waitpid(pid, nullptr, 0);
  return {.failed_step = launch.failed_step, .error_number = launch.error_number};
}

}  // namespace drover::process
