#include "cli/program.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>

#include "base/clock.h"
#include "base/fd.h"

namespace drover::cli {

namespace {

// Spawn attributes with no signal blocked, and the usual ones set to their default action.
class PlainSignals {
 public:
  PlainSignals() {
    ::posix_spawnattr_init(&attributes_);
    sigset_t set;
    ::sigemptyset(&set);
    ::posix_spawnattr_setsigmask(&attributes_, &set);
    for (const int signal : {SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGQUIT}) ::sigaddset(&set, signal);
    ::posix_spawnattr_setsigdefault(&attributes_, &set);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~PlainSignals() { ::posix_spawnattr_destroy(&attributes_); }
  PlainSignals(const PlainSignals&) = delete;
  PlainSignals& operator=(const PlainSignals&) = delete;
  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_;
};

// Reads until the program has exited: a child of it may keep the pipe open for longer. False: it
// took too long.
bool read_all(int pipe, int process, std::int64_t timeout_ms, std::string& out) {
  const std::int64_t deadline = mono_ms() + timeout_ms;
  std::array<char, 4096> buffer;
  for (;;) {
    std::array<pollfd, 2> wait{{{pipe, POLLIN, 0}, {process, POLLIN, 0}}};
    const std::int64_t left = std::max<std::int64_t>(deadline - mono_ms(), 0);
    const int ready = ::poll(wait.data(), wait.size(), static_cast<int>(left));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    if (wait[0].revents == 0) return true;
    const ssize_t got = ::read(pipe, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0 && process < 0) return true;
    if (got <= 0) pipe = -1;  // It may keep running with its output closed.
    if (got > 0) out.append(buffer.data(), static_cast<size_t>(got));
  }
}

}  // namespace

ProgramEnd run_program(std::vector<std::string> words, std::int64_t timeout_ms) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return {};
  const Fd ours(ends[0]);
  Fd theirs(ends[1]);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, theirs.get(), 1);
  ::posix_spawn_file_actions_adddup2(&actions, theirs.get(), 2);
  const PlainSignals signals;
  pid_t pid = 0;
  const int bad = ::posix_spawnp(&pid, argv[0], &actions, signals.get(), argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  theirs.close();
  if (bad != 0) return {};
  const Fd process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  ProgramEnd out;
  const bool in_time = read_all(ours.get(), process.get(), timeout_ms, out.output);
  if (!in_time) ::kill(pid, SIGKILL);  // Not reaped yet, so the pid still belongs to it.
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (!in_time) {
    out.output = words[0] + " took too long";
  } else if (WIFEXITED(status)) {
    out.code = WEXITSTATUS(status);
  }
  while (out.output.ends_with('\n')) out.output.pop_back();
  return out;
}

}  // namespace drover::cli
