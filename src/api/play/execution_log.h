// The ExecutionLog of a play (P9) is the output of its steps and its runtime: one entry per line,
// ordered by stage and by line. It is read from the runs' own output files; there is no copy.
#pragma once

#include <optional>
#include <vector>

#include "api/play/log_entry.h"
#include "base/home.h"
#include "queries/line_reader.h"
#include "store/reads.h"

namespace drover::api {

// Reads the log from a `seq` on. One thread at a time.
class ExecutionLog {
 public:
  ExecutionLog(const Home& home, RunId play, std::uint64_t after);

  // The next entries, one portion at a time. Empty: there are no more for now, or (`finished`) at
  // all. After an error it can be called again.
  Result<std::vector<LogEntry>> read(store::Reads& store);

  bool finished() const { return finished_; }  // The session is at rest, and all was read.
  bool has_more() const { return has_more_; }  // There may be more after the last portion.
  size_t stage() const { return stage_; }      // The stage being read; earlier ones are complete.
  // The run whose output is next; empty: it was not submitted yet.
  const std::optional<RunId>& source() const { return source_; }

  // The `seq` behind the last entry now. It grows until the session is at rest.
  Result<std::uint64_t> end(store::Reads& store) const;

 private:
  Result<std::vector<LogEntry>> read_stage(store::Reads& store, const RunId& run);
  void begin(size_t stage, std::uint64_t resume);

  const Home home_;
  const RunId play_;
  size_t stage_ = 0;          // Index into play::kStages; kLogEnd: the session's result.
  std::uint64_t resume_ = 0;  // The resume offset in that stage.
  std::optional<RunId> source_;
  std::optional<queries::LineReader> lines_;  // Of `source_`, once there is one.
  bool has_more_ = false;
  bool finished_ = false;
};

}  // namespace drover::api
