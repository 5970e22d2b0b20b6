// A GapSeam keeps the parts of an output on both sides of a gap apart: it ends the line before the
// gap, says how many bytes are missing, and goes on. A part of a line beside a gap could be taken
// for a line that the command has printed: `trims` leaves it out if it is short, and counts it as
// missing. All commands that print output use it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace drover::cli {

class GapSeam {
 public:
  // Prints bytes of a stream: 1 or 2. Users that print both to one place call both 1.
  using Print = std::function<Result<>(int stream, std::string_view bytes)>;
  using Say = std::function<void(std::uint64_t missing)>;
  GapSeam(bool trims, Print print, Say say)
      : trims_(trims), print_(std::move(print)), say_(std::move(say)) {}

  Result<> pass(int stream, std::string_view bytes);
  // True: nothing of these bytes is left out, and the caller prints them itself, without a copy.
  bool passes_whole(int stream, std::string_view bytes);
  Result<> gap(std::uint64_t bytes);
  // From now on, the last line waits until it is complete: a gap may follow. Only for output that
  // already exists, because a prompt is an incomplete line.
  void hold() { holds_ = trims_; }
  // Prints what was held, and holds no more.
  Result<> let_go();
  // There is no more output.
  Result<> finish();

 private:
  static constexpr size_t kPartialLineMax = 1024;

  Result<> print(int stream, std::string_view bytes);
  Result<> print_whole_lines(int stream, std::string_view bytes);
  std::string_view after_gap(std::string_view bytes);
  void say_left_out();

  const bool trims_;
  const Print print_;
  const Say say_;
  bool holds_ = false;
  std::array<bool, 3> within_line_{};  // By stream: a part of a line was printed.
  std::string held_;
  int held_stream_ = 1;
  std::uint64_t left_out_ = 0;  // Bytes of the gap, not said yet.
  size_t skipped_ = 0;          // Of them, bytes behind the gap.
};

}  // namespace drover::cli
