// LogLines puts the lines of a stage together from the pieces of its output, which are cut anywhere
// and come from two streams (P9). Pure.
//
// The other stream breaks into a line as it does on a terminal, and what it breaks is told in two.
// Not so in the validation: a line of it may be a diagnostic, which counts as a whole, whatever was
// printed to stderr meanwhile; there each stream has its own unfinished line.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/log_entry.h"

namespace drover::api {

class LogLines {
 public:
  // Of what ends at or before `told` nothing is told again.
  explicit LogLines(session::Stage stage, std::uint64_t told = 0);

  // Where to begin reading: before `told`, if a line may have been unfinished there.
  std::uint64_t begins() const { return begins_; }
  // The lines that these pieces finish; they must follow the ones before.
  std::vector<LogEntry> take(const std::vector<OutputPiece>& pieces);
  // No more will come: what is unfinished is all there is of it.
  std::vector<LogEntry> rest();

 private:
  struct Line {
    std::uint64_t end = 0;  // Behind its last byte.
    WallMs time = 0;
    std::string bytes = {};
    bool part = false;  // Of one that was too long.
  };
  using Entries = std::vector<LogEntry>;

  void add(const OutputPiece& piece, std::string_view bytes, std::uint64_t at, Entries& out);
  void cut(Stream stream, size_t added, std::uint64_t at, Entries& out);
  void finish(Stream stream, std::uint64_t end, Entries& out);
  void finish_all(Entries& out);
  std::optional<Line>& line(Stream stream) { return lines_[stream == Stream::err ? 1 : 0]; }

  const session::Stage stage_;
  const std::uint64_t told_;
  std::uint64_t begins_;
  std::optional<std::uint64_t> at_;  // Behind the last piece.
  std::uint64_t last_end_ = 0;       // Of the last line, told or not.
  std::array<std::optional<Line>, 2> lines_;
  // Before `told`: whether the beginning of the stream's line was seen.
  std::array<bool, 2> known_;
};

}  // namespace drover::api
