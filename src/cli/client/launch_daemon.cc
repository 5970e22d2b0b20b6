#include "cli/client/launch_daemon.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>

#include "base/clock.h"
#include "base/home_lock.h"
#include "base/limits.h"
#include "base/socket_path.h"
#include "cli/service/service_unit.h"
#include "cli/views/table.h"

namespace drover::cli {
namespace {

std::unexpected<Error> no_daemon(std::string message) {
  return fail(ErrorCode::unavailable, "no_daemon", std::move(message));
}

// Runs in the child between fork and exec: only async-signal-safe calls.
[[noreturn]] void become_daemon(const char* program, int log, int ready) {
  ::setsid();
  if (::fork() != 0) ::_exit(0);  // init adopts the daemon and reaps it.
  const int null = ::open("/dev/null", O_RDWR);
  ::dup2(null, 0);
  ::dup2(null, 1);
  ::dup2(log, 2);
  if (null > 2) ::close(null);
  constexpr int kReady = 3;
  if (ready == kReady) {
    ::fcntl(kReady, F_SETFD, 0);
  } else {
    ::dup2(ready, kReady);
  }
  // The daemon must not keep files of our caller open, such as a lock or a pipe.
  ::syscall(SYS_close_range, static_cast<unsigned>(kReady + 1), ~0U, 0U);
  if (::chdir("/") != 0) ::_exit(127);  // It must not keep our file system busy.
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int signal : {SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGQUIT}) ::signal(signal, SIG_DFL);
  ::execl(program, "droverd", "--ready-fd", "3", nullptr);
  const char* trouble = ::strerrordesc_np(errno);
  const std::array<const char*, 4> parts{"cannot start ", program, ": ", trouble};
  for (const char* part : parts) {
    if (::write(kReady, part, std::strlen(part)) < 0) break;
  }
  ::_exit(127);
}

// Returns "ready", or why the daemon did not start: "reason: message".
Result<std::string> read_verdict(int pipe) {
  std::string text;
  const std::int64_t deadline = mono_ms() + limits::kReadyMs;
  while (text.find('\n') == std::string::npos) {
    const std::int64_t left = deadline - mono_ms();
    pollfd wait{pipe, POLLIN, 0};
    const int ready = left <= 0 ? 0 : ::poll(&wait, 1, static_cast<int>(left));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return no_daemon("the daemon was started and is not ready yet; try again");
    std::array<char, 1024> buffer;
    const ssize_t got = ::read(pipe, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    text.append(buffer.data(), static_cast<size_t>(got));
  }
  return text.substr(0, text.find('\n'));
}

// Creates the home and opens the daemon's log in it. With the caller's umask, such as 777, both
// could be inaccessible.
Result<Fd> open_home(const Home& home) {
  const mode_t theirs = ::umask(077);
  const Result<> made = home.create();
  Fd log(made ? ::open(home.log().c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1);
  ::umask(theirs);
  if (!made) return std::unexpected(made.error());
  if (!log) return fail_errno("cannot open " + home.log(), errno);
  return log;
}

Result<std::string> start_daemon(const Home& home) {
  const std::string program = beside("droverd");
  if (program.find('/') == std::string::npos) {
    return no_daemon("no daemon is running, and without /proc none can be started; mount it");
  }
  if (::access(program.c_str(), X_OK) != 0) {
    return no_daemon("no daemon is running, and there is no " + program + " to start one");
  }
  const Result<Fd> log = open_home(home);
  if (!log) return std::unexpected(log.error());
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return fail_errno("cannot make a pipe", errno);
  const Fd ours(ends[0]);
  Fd theirs(ends[1]);
  const pid_t child = ::fork();
  if (child < 0) return fail_errno("cannot fork to start the daemon", errno);
  if (child == 0) become_daemon(program.c_str(), log->get(), theirs.get());
  theirs.close();
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  return read_verdict(ours.get());
}

}  // namespace

std::string beside(std::string_view name) {
  std::array<char, limits::kPathBytesMax> buffer;
  const ssize_t size = ::readlink("/proc/self/exe", buffer.data(), buffer.size());
  const std::string self(buffer.data(), size < 0 ? 0 : static_cast<size_t>(size));
  return self.substr(0, self.rfind('/') + 1) + std::string(name);
}

Result<Fd> connect_to(const std::string& socket) {
  const Result<SocketPath> path = SocketPath::of(socket);
  // The error of starting a daemon there says more.
  if (!path) return no_daemon("no daemon listens at " + socket);
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  path->str().copy(name.sun_path, sizeof name.sun_path - 1);
  Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd) return fail_errno("cannot make a socket", errno);
  while (::connect(fd.get(), reinterpret_cast<sockaddr*>(&name), sizeof name) != 0) {
    if (errno == EINTR) continue;
    if (errno == ENOENT || errno == ECONNREFUSED || errno == ENOTDIR) {
      return no_daemon("no daemon listens at " + socket);
    }
    return fail_errno("cannot connect to " + socket, errno);
  }
  // Before anything is sent: our environment and our commands are for our own daemon only.
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(fd.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) {
    return fail_errno("cannot find out which user listens at " + socket, errno);
  }
  if (peer.uid != ::geteuid()) {
    return fail(ErrorCode::unavailable, "unsafe_home",
                "a program of user " + std::to_string(peer.uid) + " listens at " + socket +
                    "; run drover as that user, or set DROVER_HOME to a directory of yours");
  }
  return fd;
}

Result<Fd> connect_to_holder(const Home& home) {
  const std::int64_t deadline = mono_ms() + limits::kOtherDaemonMs;
  for (;;) {
    const auto holder = home_holder(home);
    Result<Fd> there = connect_to(home.socket());
    if (there || there.error().reason != "no_daemon" || !holder) return there;
    if (mono_ms() >= deadline) {
      return fail(ErrorCode::unavailable, "socket_missing",
                  "the daemon (pid " + std::to_string(holder->pid) +
                      ") runs, but does not listen at " + home.socket() +
                      ": it is still starting, or the socket was removed and " + home.runtime +
                      " cannot be created; try again, or stop it with `drover stop`");
    }
    ::poll(nullptr, 0, static_cast<int>(limits::kComeBackPauseMs));
  }
}

namespace {

ProgramEnd ask_systemd(std::string_view verb) {
  return systemctl({std::string(verb), "--no-block", std::string(kUnitName)},
                   limits::kOtherDaemonMs);
}

// Lets systemd start the daemon if a unit for this home is installed. `no_daemon`: there is no such
// unit, or starting failed.
Result<Fd> start_service(const Home& home, const Notice& notice) {
  if (!unit_serves(home_variables())) return no_daemon("there is no service");
  ProgramEnd started = ask_systemd("start");
  const std::int64_t began = mono_ms();
  std::int64_t seen = began;  // When a daemon last had the home.
  for (int looks = 1; started.ok() && mono_ms() - began < limits::kReadyMs; ++looks) {
    Result<Fd> there = connect_to(home.socket());
    if (there) return there;
    const bool taken = home_is_taken(home);
    if (taken) seen = mono_ms();
    if (mono_ms() - seen > limits::kOtherDaemonMs) break;
    // If the old daemon was still shutting down, systemd considered the service started and did
    // nothing. It has exited by now: ask again.
    constexpr int kLooksForOneQuestion = 20;
    if (!taken && looks % kLooksForOneQuestion == 0) {
      if (ask_systemd("is-failed").ok()) break;
      started = ask_systemd("start");
    }
    ::poll(nullptr, 0, static_cast<int>(limits::kComeBackPauseMs));
  }
  const std::string why = started.ok()             ? "it does not answer"
                          : started.output.empty() ? "systemctl cannot be called"
                                                   : clean(started.output);
  if (notice) {
    notice("systemd could not start " + std::string(kUnitName) + " (" + why +
           "); starting a daemon outside of it, `drover service status` says more");
  }
  return no_daemon(why);
}

}  // namespace

Result<Fd> connect_or_start(const Home& home, const std::string& why_not, const Notice& notice) {
  Result<Fd> first = why_not.empty() ? connect_to(home.socket()) : connect_to_holder(home);
  if (first || first.error().reason != "no_daemon") return first;
  if (!why_not.empty()) {
    return no_daemon(first.error().message + ", and none is started " + why_not);
  }
  if (Result<Fd> service = start_service(home, notice)) return service;
  const std::int64_t deadline = mono_ms() + limits::kOtherDaemonMs;
  for (;;) {
    const Result<std::string> verdict = start_daemon(home);
    if (!verdict) return std::unexpected(verdict.error());
    if (*verdict == "ready") return connect_to(home.socket());
    const auto failed = [&] {
      return no_daemon("the daemon did not start: " +
                       (verdict->empty() ? "it said nothing; see " + home.log() : *verdict));
    };
    if (!verdict->starts_with("daemon_running:")) return failed();
    // Another daemon has the home. Either it started first and will listen soon, or it is shutting
    // down, and we start the next one.
    do {
      Result<Fd> again = connect_to(home.socket());
      if (again) return again;
      if (mono_ms() >= deadline) return failed();
      ::poll(nullptr, 0, static_cast<int>(limits::kComeBackPauseMs));
    } while (home_is_taken(home));
  }
}

}  // namespace drover::cli
