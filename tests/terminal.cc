#include "tests/terminal.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <utmp.h>

#include <chrono>
#include <cstdlib>

#include "tests/harness.h"

namespace drover::tests {
namespace {

constexpr int kPatienceMs = 60'000;  // Only ever reached by a bug.

winsize size_of(int columns, int rows) {
  winsize size{};
  size.ws_col = static_cast<unsigned short>(columns);
  size.ws_row = static_cast<unsigned short>(rows);
  return size;
}

}  // namespace

Terminal::Terminal(const std::vector<std::string>& argv,
                   const std::map<std::string, std::string>& extra_env, const std::string& cwd,
                   int columns, int rows) {
  const winsize size = size_of(columns, rows);
  int master = -1, slave = -1;
  if (::openpty(&master, &slave, nullptr, nullptr, &size) != 0) std::abort();
  master_ = Fd(master);
  slave_ = Fd(slave);
  ::fcntl(master, F_SETFD, FD_CLOEXEC);
  pid_ = ::fork();
  if (pid_ == 0) {
    ::login_tty(slave);
    if (::chdir(cwd.c_str()) != 0) ::_exit(99);
    for (const char* name :
         {"DROVER_RUN_ID", "DROVER_TOKEN", "NO_COLOR", "XDG_RUNTIME_DIR", "COLUMNS", "LINES"}) {
      ::unsetenv(name);
    }
    ::setenv("TERM", "xterm-256color", 1);
    for (const auto& [name, value] : extra_env) ::setenv(name.c_str(), value.c_str(), 1);
    for (const int number : {SIGINT, SIGHUP, SIGPIPE}) ::signal(number, SIG_DFL);
    std::vector<char*> pointers;
    for (const std::string& word : argv) pointers.push_back(const_cast<char*>(word.c_str()));
    pointers.push_back(nullptr);
    ::execv(pointers[0], pointers.data());
    ::_exit(98);
  }
  ::fcntl(slave, F_SETFD, FD_CLOEXEC);
}

Terminal::~Terminal() {
  if (finished_) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

void Terminal::type(const std::string& keys) {
  ASSERT_TRUE(write_all(master_.get(), keys));
}

void Terminal::resize(int columns, int rows) {
  const winsize size = size_of(columns, rows);
  ASSERT_EQ(::ioctl(master_.get(), TIOCSWINSZ, &size), 0);
}

bool Terminal::read_some() {
  const Fd gone = open_pid(pid_);
  pollfd polls[2] = {{.fd = master_.get(), .events = POLLIN, .revents = 0},
                     {.fd = gone.get(), .events = POLLIN, .revents = 0}};
  if (::poll(polls, 2, kPatienceMs) <= 0) {
    ADD_FAILURE() << "timed out; drawn: " << drawn_;
    ::kill(pid_, SIGKILL);
    return false;
  }
  if (polls[0].revents == 0) return false;  // It has exited, and all of its output was read.
  char buffer[65536];
  const ssize_t n = ::read(master_.get(), buffer, sizeof buffer);
  if (n > 0) drawn_.append(buffer, static_cast<size_t>(n));
  return n > 0;
}

void Terminal::wait_for(const std::string& text) {
  using std::chrono::steady_clock;
  // A program that draws again and again never lets read_some() time out.
  const auto end = steady_clock::now() + std::chrono::milliseconds(kPatienceMs);
  size_t at = 0;
  while ((at = drawn_.find(text, seen_)) == std::string::npos) {
    ASSERT_LT(steady_clock::now(), end) << "it has not drawn " << text << "; drawn: " << drawn_;
    ASSERT_TRUE(read_some()) << "it ended without drawing " << text << "; drawn: " << drawn_;
  }
  seen_ = at + text.size();
}

int Terminal::finish() {
  while (read_some()) {
  }
  int status = 0;
  ::waitpid(pid_, &status, 0);
  finished_ = true;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool Terminal::is_cooked() const {
  termios now{};
  ::tcgetattr(slave_.get(), &now);
  return (now.c_lflag & ICANON) != 0 && (now.c_lflag & ECHO) != 0;
}

}  // namespace drover::tests
