// A LineReader reads the output of one run as lines, while the run prints or afterwards. It reads
// what is there and never waits: who follows a run asks again when its output has grown
// (output_watch.h) or the run has ended.
#pragma once

#include "base/home.h"
#include "queries/output_lines.h"
#include "store/store.h"

namespace drover::queries {

class LineReader {
 public:
  // `store` must outlive it. Begins behind the line that ended at `resume`.
  LineReader(store::Store& store, const Home& home, const RunId& run, LineRules rules,
             std::uint64_t resume = 0);

  // The next lines: a portion, so that nobody waits long. None: there are no more now, or
  // (`finished`) at all.
  Result<std::vector<OutputLine>> read();

  const RunId& run() const { return run_; }
  // The run has ended, or is gone, and all of its lines were read.
  bool finished() const { return finished_; }
  // There may be more behind what was just read.
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
