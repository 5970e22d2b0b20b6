#include "cli/terminal/raw_terminal.h"

#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "base/limits.h"

namespace drover::cli {
namespace {

termios g_before{};  // Global for the signal handler, which gets no arguments.

constexpr int kDeadly[] = {SIGQUIT, SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};

// Async-signal-safe. After it returns, the signal is delivered again with its default action.
void give_back_and_die(int signal) {
  ::tcsetattr(STDIN_FILENO, TCSANOW, &g_before);
  ::raise(signal);
}

void on_deadly(void (*handler)(int)) {
  struct sigaction action{};
  action.sa_handler = handler;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (const int signal : kDeadly) ::sigaction(signal, &action, nullptr);
}

std::uint16_t within(unsigned short found, std::uint16_t usual, std::int64_t most) {
  return found == 0 ? usual : static_cast<std::uint16_t>(std::min<std::int64_t>(found, most));
}

}  // namespace

TerminalSize size_of_terminal() {
  winsize found{};
  for (const int fd : {STDOUT_FILENO, STDIN_FILENO, STDERR_FILENO}) {
    if (::ioctl(fd, TIOCGWINSZ, &found) == 0 && found.ws_row != 0) break;
  }
  return {.rows = within(found.ws_row, limits::kTerminalRows, limits::kTerminalRowsMax),
          .columns = within(found.ws_col, limits::kTerminalColumns, limits::kTerminalColumnsMax)};
}

RawTerminal::RawTerminal() {
  if (::tcgetattr(STDIN_FILENO, &g_before) != 0) return;
  is_ours_ = true;
  on_deadly(give_back_and_die);
  take();
}

RawTerminal::~RawTerminal() {
  if (!is_ours_) return;
  give_back();
  on_deadly(SIG_DFL);
}

void RawTerminal::take() {
  if (!is_ours_) return;
  termios raw = g_before;
  ::cfmakeraw(&raw);
  ::tcsetattr(STDIN_FILENO, TCSANOW, &raw);
}

// Restores at once, without waiting for pending output, and also from the background.
void RawTerminal::give_back() {
  if (!is_ours_) return;
  auto* const before = ::signal(SIGTTOU, SIG_IGN);
  ::tcsetattr(STDIN_FILENO, TCSANOW, &g_before);
  ::signal(SIGTTOU, before);
}

}  // namespace drover::cli
