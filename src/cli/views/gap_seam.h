// A GapSeam keeps the parts of an output on both sides of a gap apart: it ends the line before the
// gap, says how many bytes are missing, and continues. All commands that print output use it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace drover::cli {

// How the lines that a gap has cut are printed.
enum class CutLines : std::uint8_t {
  ended,     // The line before the gap gets an end; everything that is kept is printed.
  left_out,  // A short part of a line is not printed, so that nobody takes it for a whole line.
};

// The bytes that are missing at a gap. The two are counted apart, so that the first agrees with the
// record.
struct MissingBytes {
  std::uint64_t not_kept = 0;
  std::uint64_t left_out = 0;  // Kept parts of the lines that the gap has cut.
};

class GapSeam {
 public:
  // Prints bytes of a stream: 1 or 2. Users that print both to one place call both 1. `was_held`:
  // the bytes are from an earlier call of pass().
  using Print = std::function<Result<>(int stream, std::string_view bytes, bool was_held)>;
  using Say = std::function<void(const MissingBytes& missing)>;
  GapSeam(CutLines cut, Print print, Say say)
      : cut_(cut), print_(std::move(print)), say_(std::move(say)) {}

  Result<> pass(int stream, std::string_view bytes);
  // True: nothing of these bytes is left out, and the caller prints them itself, without a copy.
  bool passes_whole(int stream, std::string_view bytes);
  Result<> gap(std::uint64_t bytes);
  // From now on, the last line waits until it is complete: a gap may follow. Only for output that
  // already exists, because a prompt is an incomplete line.
  void hold() { holds_ = cut_ == CutLines::left_out; }
  bool is_holding() const { return !held_.empty(); }
  // Prints what was held, and holds no more.
  Result<> flush();
  // There is no more output.
  Result<> finish();

 private:
  static constexpr size_t kPartialLineMax = 1024;

  Result<> print(int stream, std::string_view bytes, bool was_held = false);
  Result<> print_held();
  Result<> print_whole_lines(int stream, std::string_view bytes);
  std::string_view after_gap(std::string_view bytes);
  void say_left_out();

  const CutLines cut_;
  const Print print_;
  const Say say_;
  bool holds_ = false;
  std::array<bool, 3> within_line_{};  // By stream: a part of a line was printed.
  std::string held_;
  int held_stream_ = 1;
  MissingBytes missing_;  // Not said yet.
  size_t skipped_ = 0;    // Of what is left out, the bytes after the gap.
};

}  // namespace drover::cli
