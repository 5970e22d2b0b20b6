// A LineReader reads the output of one run as lines, while the run prints or afterwards. It reads
// what the files contain and never waits: to follow a run, call it again when the output has grown
// (output_watch.h) or the run has finished.
#pragma once

#include "base/home.h"
#include "queries/output_lines.h"
#include "store/store.h"

namespace drover::queries {

class LineReader {
 public:
  // `store` must outlive it. Begins behind the line whose `end` was `resume`.
  LineReader(store::Store& store, const Home& home, const RunId& run, LineRules rules,
             std::uint64_t resume = 0);

  // The next lines, one portion at a time so that the loop is never blocked for long. Empty: there
  // are no more lines for now, or (`finished`) at all.
  Result<std::vector<OutputLine>> read();

  const RunId& run() const { return run_; }
  // The run has finished or was deleted, and all of its lines were read.
  bool finished() const { return finished_; }
  // There may be more lines behind the ones just read.
  bool has_more() const { return has_more_; }

 private:
  store::Store& store_;
  const RunId run_;
  OutputReader output_;
  OutputLines lines_;
  std::uint64_t at_;
  bool finished_ = false;
  bool has_more_ = false;
};

}  // namespace drover::queries
