// The board is the page that a test shares with the programs it torments: here it says where the
// next one is to die, and sees who came by. See base/crash_point.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/crash_point.h"

namespace drover::tests {

class Board {
 public:
  // Creates the file. Programs find it by the variable kCrashBoardVariable.
  explicit Board(const std::string& path);
  ~Board();
  Board(const Board&) = delete;
  Board& operator=(const Board&) = delete;

  // Whoever comes by there as the `nth` from now on is killed; one death for one arming.
  void arm(std::string_view point, std::uint32_t nth = 1);
  void disarm();

  std::uint32_t passed(std::string_view point) const { return cell(point).passed; }
  std::uint32_t deaths(std::string_view point) const { return cell(point).deaths; }
  std::uint32_t deaths() const;
  std::string where() const;  // For people: the points at which somebody died.
  // Those that may have cost a run the word of its end.
  std::uint32_t runs_lost() const;

 private:
  CrashCell& cell(std::string_view point) const { return (*cells_)[CrashPoint::index_of(point)]; }

  CrashBoard* cells_;
};

// True where a keeper has taken a run upon it and may not have seen how it ends. Dying anywhere
// else must cost nothing.
bool may_cost_a_run(std::string_view point);

}  // namespace drover::tests
