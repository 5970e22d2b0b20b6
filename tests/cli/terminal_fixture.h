// A TerminalUser is a person at a terminal: `drover …` on a real pty. The test types its keys and
// reads its screen.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#include <utmp.h>

#include <string>
#include <vector>

#include "tests/harness.h"

namespace drover::tests {

class TerminalUser {
 public:
  TerminalUser(Flock& flock, const std::vector<std::string>& words, unsigned short rows = 24,
               unsigned short columns = 80) {
    winsize size{.ws_row = rows, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
    int master = -1;
    int peer = -1;
    EXPECT_EQ(::openpty(&master, &peer, nullptr, nullptr, &size), 0);
    master_ = Fd(master);
    peer_ = Fd(peer);
    ::fcntl(master, F_SETFD, FD_CLOEXEC);
    ::fcntl(peer, F_SETFD, FD_CLOEXEC);
    ::tcgetattr(peer, &before_);
    std::vector<std::string> argv{DROVER_BIN "/drover"};
    argv.insert(argv.end(), words.begin(), words.end());
    pid_ = ::fork();
    if (pid_ == 0) {
      ::login_tty(peer);
      for (const char* name : {"DROVER_RUN_ID", "DROVER_TOKEN", "XDG_RUNTIME_DIR"})
        ::unsetenv(name);
      ::setenv("TERM", "xterm-256color", 1);
      ::setenv("NO_COLOR", "1", 1);
      for (const auto& [name, value] : flock.environment) ::setenv(name.c_str(), value.c_str(), 1);
      std::vector<char*> pointers;
      for (const std::string& word : argv) pointers.push_back(const_cast<char*>(word.c_str()));
      pointers.push_back(nullptr);
      ::execv(pointers[0], pointers.data());
      ::_exit(98);
    }
  }
  ~TerminalUser() {
    if (pid_ == 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  TerminalUser(const TerminalUser&) = delete;
  TerminalUser& operator=(const TerminalUser&) = delete;

  pid_t pid() const { return pid_; }
  const std::string& seen() const { return seen_; }
  void type(std::string_view keys) {
    EXPECT_EQ(::write(master_.get(), keys.data(), keys.size()), static_cast<ssize_t>(keys.size()));
  }
  void resize(unsigned short rows, unsigned short columns) {
    const winsize size{.ws_row = rows, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
    EXPECT_EQ(::ioctl(master_.get(), TIOCSWINSZ, &size), 0);
  }
  // Reads until the screen has shown `text` once more.
  void wait_for(const std::string& text) {
    while (seen_.find(text, from_) == std::string::npos) {
      ASSERT_TRUE(read_some()) << "never saw " << text << " in: " << seen_;
    }
    from_ = seen_.find(text, from_) + text.size();
  }
  // Closes the terminal, as when its window is closed.
  void hang_up() {
    peer_.close();
    master_.close();
  }
  // Waits until it has exited; returns its exit code.
  int finish() {
    const Fd pidfd = open_pid(pid_);
    while (master_) {
      pollfd polls[2] = {{.fd = pidfd.get(), .events = POLLIN, .revents = 0},
                         {.fd = master_.get(), .events = POLLIN, .revents = 0}};
      EXPECT_GT(::poll(polls, 2, 60'000), 0) << "it does not end: " << seen_;
      if ((polls[1].revents & POLLIN) != 0) {
        (void)read_some();
      } else {
        break;
      }
    }
    wait_gone(pidfd);
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  bool is_raw() const {
    termios now{};
    ::tcgetattr(peer_.get(), &now);
    return (now.c_lflag & (ICANON | ECHO | ISIG)) == 0;
  }
  // Whether the terminal's settings are the same as before `drover` started.
  bool is_as_before() const {
    termios now{};
    ::tcgetattr(peer_.get(), &now);
    return now.c_lflag == before_.c_lflag && now.c_iflag == before_.c_iflag &&
           now.c_oflag == before_.c_oflag;
  }

 private:
  bool read_some() {
    pollfd poll{.fd = master_.get(), .events = POLLIN, .revents = 0};
    if (::poll(&poll, 1, 60'000) != 1) return false;
    char buffer[65536];
    const ssize_t n = ::read(master_.get(), buffer, sizeof buffer);
    if (n <= 0) return false;
    seen_.append(buffer, static_cast<size_t>(n));
    return true;
  }

  pid_t pid_ = 0;
  Fd master_, peer_;
  termios before_{};
  std::string seen_;
  size_t from_ = 0;
};

}  // namespace drover::tests
