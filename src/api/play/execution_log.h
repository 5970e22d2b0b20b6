// The execution log of a play (P9): what its steps and its runtime printed, one line an entry, in
// the order of the stages and of the lines in each. It is read from the runs' own output files; no
// copy is kept of it.
#pragma once

#include <optional>
#include <vector>

#include "api/play/log_entry.h"
#include "base/home.h"
#include "queries/line_reader.h"
#include "store/store.h"

namespace drover::api {

// A reader of it, from a `seq` on. Everything borrowed must outlive it.
class ExecutionLog {
 public:
  ExecutionLog(store::Store& store, const Home& home, RunId play, std::uint64_t after);

  // What is there now: a portion, so that nobody waits long. Empty: nothing, for the moment or
  // (`finished`) for ever.
  Result<std::vector<LogEntry>> read();

  bool finished() const { return finished_; }  // Its session is at rest, and all is told.
  bool has_more() const { return has_more_; }  // Behind what was just read; perhaps nothing.
  size_t stage() const { return stage_; }      // What is read now; of those before all is told.
  // Whose output comes next; none: that run is not asked for yet.
  const std::optional<RunId>& source() const { return source_; }

  // Where it ends now. It may go on; at rest it does not, and this is behind all.
  Result<std::uint64_t> end();

 private:
  Result<std::vector<LogEntry>> read_stage(const RunId& run);
  void begin(size_t stage, std::uint64_t told);

  store::Store& store_;
  const Home& home_;
  const RunId play_;
  size_t stage_ = 0;        // Of play::kStages; then comes what became of it.
  std::uint64_t told_ = 0;  // Of that stage, when its reading began.
  std::optional<RunId> source_;
  std::optional<queries::LineReader> lines_;  // Of `source_`, once there is one.
  bool has_more_ = false;
  bool finished_ = false;
};

}  // namespace drover::api
