// OutputLines assembles the lines of a run's output from its pieces (base/output_file.h), which are
// cut anywhere and come from two streams. Pure.
//
// Output of the other stream splits an unfinished line in two, as it does on a terminal. A reader
// that needs whole lines, because one program writes them for another, asks for them by stream:
// then each stream has its own unfinished line. A gap, where output is not kept, ends a line, and
// is a line of its own.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/output_file.h"

namespace drover::queries {

struct OutputLine {
  std::uint64_t end = 0;  // The offset after its newline: where to resume.
  Stream stream = Stream::out;
  WallMs time = 0;              // Of its first byte.
  std::string text = {};        // Without its newline.
  bool part = false;            // A part of a line: it was too long, or the rest is not kept.
  std::uint64_t gap_bytes = 0;  // Set: not a line, but bytes that are not kept,
  std::uint64_t gap_from = 0;   // from this offset on.
};

struct LineRules {
  size_t bytes_max = 0;  // A longer line is cut, between two characters.
  bool by_stream = false;
};

class OutputLines {
 public:
  // Skips lines that end at or before `resume`, the `end` of a line read earlier.
  explicit OutputLines(LineRules rules, std::uint64_t resume = 0);

  // Where to begin reading: before `resume` if a line may have been unfinished there.
  std::uint64_t begins() const { return begins_; }
  // Returns the lines that these pieces finish. The pieces must follow the previous ones. `end`
  // only rises.
  std::vector<OutputLine> take(const std::vector<OutputPiece>& pieces);
  // Returns the lines that are still unfinished. Call it when no more output will come.
  std::vector<OutputLine> rest();

 private:
  struct Line {
    std::uint64_t end = 0;  // After its last byte.
    WallMs time = 0;
    std::string bytes = {};
    bool part = false;
  };
  using Lines = std::vector<OutputLine>;

  void add(const OutputPiece& piece, std::string_view bytes, std::uint64_t at, Lines& out);
  void cut(Stream stream, size_t added, std::uint64_t at, Lines& out);
  void finish(Stream stream, std::uint64_t end, Lines& out);
  void finish_all(Lines& out);
  void pass_over(const OutputPiece& gap, Lines& out);
  std::optional<Line>& line(Stream stream) { return lines_[stream == Stream::err ? 1 : 0]; }

  const LineRules rules_;
  const std::uint64_t resume_;
  std::uint64_t begins_;
  bool after_gap_[2] = {};      // The stream's next line lacks its beginning, perhaps.
  std::uint64_t last_end_ = 0;  // Of the last line, skipped or not.
  std::array<std::optional<Line>, 2> lines_;
  // Until `resume` is reached: whether the beginning of the stream's current line was read.
  std::array<bool, 2> known_;
};

}  // namespace drover::queries
