#include "base/crash_point.h"

#ifdef DROVER_CRASH_POINTS

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

namespace drover {
namespace {

// Shared by all processes that inherit the variable; null if it is not set. Never unmapped.
CrashBoard* open_board() {
  const char* path = std::getenv(kCrashBoardVariable);
  if (path == nullptr) return nullptr;
  const int fd = ::open(path, O_RDWR | O_CLOEXEC);
  if (fd < 0) return nullptr;
  void* const at = ::mmap(nullptr, sizeof(CrashBoard), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  ::close(fd);
  return at == MAP_FAILED ? nullptr : static_cast<CrashBoard*>(at);
}

}  // namespace

// Uses only memory and system calls: it is also called between fork and exec.
void crash_point(CrashPoint point, int victim) {
  static CrashBoard* const board = open_board();
  if (board == nullptr) return;
  CrashCell& cell = (*board)[point.index()];
  cell.passed.fetch_add(1);
  std::uint32_t left = cell.countdown.load();
  while (left > 0 && !cell.countdown.compare_exchange_weak(left, left - 1)) {
  }
  if (left != 1) return;
  cell.deaths.fetch_add(1);
  ::kill(victim == 0 ? ::getpid() : victim, SIGKILL);
}

}  // namespace drover

#endif
