#include "tests/torture/board.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/fd.h"

namespace drover::tests {

Board::Board(const std::string& path) {
  const Fd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!fd || ::ftruncate(fd.get(), sizeof(CrashBoard)) != 0) std::abort();
  void* const at =
      ::mmap(nullptr, sizeof(CrashBoard), PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
  if (at == MAP_FAILED) std::abort();
  cells_ = static_cast<CrashBoard*>(at);
}

Board::~Board() {
  ::munmap(cells_, sizeof(CrashBoard));
}

void Board::arm(std::string_view point, std::uint32_t nth) {
  cell(point).countdown = nth;
}

void Board::disarm() {
  for (CrashCell& cell : *cells_) cell.countdown = 0;
}

std::uint32_t Board::deaths() const {
  std::uint32_t sum = 0;
  for (const CrashCell& cell : *cells_) sum += cell.deaths;
  return sum;
}

std::string Board::where() const {
  std::string text = "died at:";
  for (size_t i = 0; i < kCrashPoints.size(); ++i) {
    if ((*cells_)[i].deaths > 0) text.append(" ").append(kCrashPoints[i]);
  }
  return text;
}

std::uint32_t Board::runs_lost() const {
  std::uint32_t sum = 0;
  for (size_t i = 0; i < kCrashPoints.size(); ++i) {
    if (may_cost_a_run(kCrashPoints[i])) sum += (*cells_)[i].deaths;
  }
  return sum;
}

bool may_cost_a_run(std::string_view point) {
  // A keeper that has not signed is replaced, and a written status counts.
  constexpr auto kSignedAndWithoutStatus = std::to_array<std::string_view>(
      {"keeper.signed", "keeper.loaded", "spawn.", "keeper.spawned", "keeper.started_written",
       "keeper.start_reported", "control.", "output.", "keeper.exit_seen", "sweep.",
       "keeper.stop_begun", "keeper.killed"});
  return std::ranges::any_of(kSignedAndWithoutStatus,
                             [&](std::string_view area) { return point.starts_with(area); });
}

}  // namespace drover::tests
