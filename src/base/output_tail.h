// TailSearch finds where the last lines of a run's output begin. It reads backwards, a portion at a
// time, so that a search through a large output does not block the caller.
#pragma once

#include "base/output_file.h"

namespace drover {

class TailSearch {
 public:
  // `output` must outlive it.
  TailSearch(OutputReader& output, std::uint64_t lines, Stream stream)
      : segments_(output.segments_), lines_(lines), stream_(stream) {}

  // Reads one portion; true: the search is over. Output that arrives meanwhile is not counted.
  Result<bool> search();
  // The offset at which the last lines begin.
  std::uint64_t begin() const { return begin_; }

 private:
  Result<> start();
  Result<bool> next_segment();
  Result<bool> count(const OutputSegments::Segment& segment, std::uint64_t from, std::uint64_t to);

  OutputSegments& segments_;
  const std::uint64_t lines_;
  const Stream stream_;
  std::vector<std::uint64_t> numbers_;                // Of the segments not searched yet.
  const OutputSegments::Segment* segment_ = nullptr;  // The one being searched.
  std::uint64_t records_ = 0;                         // How many of its records are not searched.
  // Where the unsearched part of the last of these records ends; 0: at the end of the record.
  std::uint64_t rest_ = 0;
  std::uint64_t found_ = 0;
  std::uint64_t reached_ = 0;  // The begin of the last record, of any stream; 0: none yet.
  bool behind_gap_ = false;  // The next newline starts the line that a gap cuts: it is not counted.
  std::uint64_t begin_ = 0;
  bool started_ = false;
  bool at_end_ = true;  // The newline of the last line starts no further line.
};

}  // namespace drover
