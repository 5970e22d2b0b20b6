// A LineReader reads the output of one run as lines, while the run prints or afterwards. It reads
// what the files contain and never waits: to follow a run, call it again when the output has grown
// (output_watch.h) or the run has finished.
#pragma once

#include "base/home.h"
#include "queries/output_lines.h"
#include "store/reads.h"

namespace drover::queries {

class LineReader {
 public:
  // Begins behind the line whose `end` was `resume`.
  LineReader(const Home& home, const RunId& run, LineRules rules, std::uint64_t resume = 0);

  // The next lines, one portion at a time. Empty: there are no more lines for now, or (`finished`)
  // at all. After an error it can be called again.
  Result<std::vector<OutputLine>> read(store::Reads& store);

  const RunId& run() const { return run_; }
  // The run has finished or was deleted, and all of its lines were read.
  bool finished() const { return finished_; }
  // There may be more lines after the ones just read.
  bool has_more() const { return has_more_; }

 private:
  const RunId run_;
  OutputReader output_;
  OutputLines lines_;
  std::uint64_t at_;
  bool finished_ = false;
  bool has_more_ = false;
};

}  // namespace drover::queries
