// The board is a page of memory that a test shares with the programs it kills: the test sets the
// crash point where the next one dies, and sees which points were passed. See base/crash_point.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/crash_point.h"

namespace drover::tests {

class Board {
 public:
  // Creates the file. Programs find it through the variable kCrashBoardVariable.
  explicit Board(const std::string& path);
  ~Board();
  Board(const Board&) = delete;
  Board& operator=(const Board&) = delete;

  // Kills the `nth` program that passes the point from now on; one death per call.
  void arm(std::string_view point, std::uint32_t nth = 1);
  void disarm();

  std::uint32_t passed(std::string_view point) const { return cell(point).passed; }
  std::uint32_t deaths(std::string_view point) const { return cell(point).deaths; }
  std::uint32_t deaths() const;
  std::string where() const;  // For people: the points at which a program died.
  // The number of deaths that may have lost a run's result.
  std::uint32_t runs_lost() const;

 private:
  CrashCell& cell(std::string_view point) const { return (*cells_)[CrashPoint::index_of(point)]; }

  CrashBoard* cells_;
};

// True at points where a keeper has taken over a run and may not have seen its end. A death at any
// other point must lose nothing.
bool may_cost_a_run(std::string_view point);

}  // namespace drover::tests
