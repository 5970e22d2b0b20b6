#include "cli/terminal/fullscreen.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <string_view>

namespace drover::cli {
namespace {

constexpr std::string_view kEnter = "\x1b[?1049h\x1b[?25l\x1b[2J";
constexpr std::string_view kLeave = "\x1b[?25h\x1b[?1049l";
constexpr std::array kCrashes{SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE};
constexpr int kEscapeMs =
    25;  // A terminal sends the rest of a sequence at once; a person does not.

// Global for the crash handler, which gets no arguments.
termios before;
bool entered = false;

void leave() {
  if (!std::exchange(entered, false)) return;
  (void)!::write(STDOUT_FILENO, kLeave.data(), kLeave.size());
  ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &before);
}

void crash(int signal) {
  leave();
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

sigset_t ours() {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP, SIGCONT}) {
    ::sigaddset(&set, signal);
  }
  return set;
}

}  // namespace

Result<Fullscreen> Fullscreen::open() {
  if (::isatty(STDIN_FILENO) != 1 || ::isatty(STDOUT_FILENO) != 1) {
    return fail(
        ErrorCode::invalid, "no_terminal",
        "this command needs a terminal; programs can use `drover ps` and `drover events -f`");
  }
  Fullscreen out;
  const sigset_t set = ours();
  ::sigprocmask(SIG_BLOCK, &set, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
  out.signals_ = Fd(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  ::tcgetattr(STDIN_FILENO, &before);
  for (const int signal : kCrashes) ::signal(signal, crash);
  out.enter();
  return out;
}

Fullscreen::~Fullscreen() {
  if (signals_) leave();
}

void Fullscreen::enter() {
  termios raw = before;
  raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);  // ISIG stays on for Ctrl-C and Ctrl-Z.
  raw.c_cc[VMIN] = 0;
  raw.c_cc[VTIME] = 0;
  ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw);
  entered = true;
  (void)write_all(STDOUT_FILENO, kEnter);
  measure();
}

void Fullscreen::measure() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0) {
    columns_ = size.ws_col;
    rows_ = size.ws_row;
  }
  redraw_ = true;
}

int Fullscreen::take_signal() {
  signalfd_siginfo info{};
  while (::read(fd(), &info, sizeof info) == sizeof info) {
    const auto signal = static_cast<int>(info.ssi_signo);
    if (signal == SIGWINCH) {
      measure();
    } else if (signal == SIGTSTP) {
      leave();
      ::raise(SIGSTOP);
      enter();
    } else if (signal != SIGCONT) {
      return signal;
    }
  }
  return 0;
}

std::optional<Key> Fullscreen::take_key() {
  std::array<char, 256> buffer;
  for (bool polled = false;; polled = true) {
    const ssize_t got = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    if (got > 0) typed_.append(buffer.data(), static_cast<size_t>(got));
    if (auto key = cli::take_key(typed_, false)) return key;
    if (typed_.empty()) return std::nullopt;
    if (polled && got <= 0) break;  // A terminal that is gone polls ready, but has no bytes.
    pollfd more{STDIN_FILENO, POLLIN, 0};
    if (::poll(&more, 1, kEscapeMs) <= 0 || (more.revents & POLLIN) == 0) break;
  }
  return cli::take_key(typed_, true);
}

Result<> Fullscreen::draw(const std::vector<std::string>& lines) {
  std::string frame = "\x1b[H";
  for (size_t i = 0; i < lines.size() && i < rows_; ++i) {
    if (i > 0) frame += "\r\n";
    frame += "\x1b[K" + lines[i];  // After a full line, [K would clear its last column.
  }
  if (lines.size() < rows_) frame += "\r\n\x1b[J";
  return write_all(STDOUT_FILENO, frame);
}

}  // namespace drover::cli
