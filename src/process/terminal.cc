#include "process/terminal.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>

namespace drover::process {
namespace {

constexpr char kControlD = 4;

}  // namespace

Fd Terminal::open(const TerminalSize& size) {
  Fd master(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK));
  if (!master || ::grantpt(master.get()) != 0 || ::unlockpt(master.get()) != 0) return {};
  // By descriptor: in a container's /dev its name may mean another terminal.
  peer_ = Fd(::ioctl(master.get(), TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!peer_) return {};
  resize(size);
  return master;
}

bool Terminal::resize(const TerminalSize& size) {
  winsize now{};
  ::ioctl(peer_.get(), TIOCGWINSZ, &now);
  if (now.ws_row == size.rows && now.ws_col == size.columns) return false;
  now.ws_row = size.rows;
  now.ws_col = size.columns;
  return ::ioctl(peer_.get(), TIOCSWINSZ, &now) == 0;
}

std::string_view Terminal::end_of_input(bool at_line_start) {
  termios mode{};
  const bool known = ::tcgetattr(peer_.get(), &mode) == 0;
  const char typed = known ? static_cast<char>(mode.c_cc[VEOF]) : kControlD;
  end_[0] = end_[1] = typed != 0 ? typed : kControlD;
  const bool by_line = known && (mode.c_lflag & ICANON) != 0;
  return {end_, by_line && !at_line_start ? 2U : 1U};
}

}  // namespace drover::process
