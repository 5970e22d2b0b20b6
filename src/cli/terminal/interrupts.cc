#include "cli/terminal/interrupts.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include <csignal>

namespace drover::cli {

Interrupts::Interrupts(bool terminal) {
  sigset_t mine;
  ::sigemptyset(&mine);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGWINCH, SIGTSTP}) {
    if (!terminal && (signal == SIGWINCH || signal == SIGTSTP)) continue;
    struct sigaction now{};
    ::sigaction(signal, nullptr, &now);
    // A blocked signal is queued even if it is ignored: do not block the ignored ones.
    if (now.sa_handler != SIG_IGN) ::sigaddset(&mine, signal);
  }
  ::sigprocmask(SIG_BLOCK, &mine, nullptr);
  ::signal(SIGPIPE, SIG_IGN);  // The loop handles a closed output.
  fd_ = Fd(::signalfd(-1, &mine, SFD_CLOEXEC | SFD_NONBLOCK));
}

int Interrupts::take() {
  signalfd_siginfo info{};
  return ::read(fd(), &info, sizeof info) == sizeof info ? static_cast<int>(info.ssi_signo) : 0;
}

}  // namespace drover::cli
