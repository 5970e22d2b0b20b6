// The execution log of a play (P9): what its steps and its runtime printed, one line an entry, in
// the order of the stages and of the lines in each. It is read from the runs' own output files; no
// copy is kept of it.
//
// An entry's `seq` only rises and says where to go on: the stage in its high bits, and in the low
// ones the byte of that stage's output behind the entry. It is below 2^53, so that every reader of
// JSON has it exactly.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/home.h"
#include "base/output_file.h"
#include "play/diagnostics.h"
#include "session/session.h"
#include "store/store.h"

namespace drover::api {

struct LogEntry {
  std::uint64_t seq = 0;
  std::string_view source;  // A stage, or `play`: what became of it, said last of one that failed.
  play::Severity severity = play::Severity::info;
  Stream stream = Stream::out;
  WallMs time = 0;
  std::string text = {};  // Without its newline.
  std::optional<play::Diagnostic> diagnostic = {};
  std::string code = {};  // Of `play`.
};
// {"seq","source","severity","stream","time","text"}, and "base64" for what is no UTF-8.
std::string text_of(const LogEntry& entry);

std::uint64_t seq_of(size_t stage, std::uint64_t offset);
std::pair<size_t, std::uint64_t> place_of(std::uint64_t seq);  // Stage and offset.
inline constexpr std::uint64_t kLogSeqMax = (std::uint64_t{1} << 53) - 1;

// The lines in `pieces`, which are of stage `stage`. If `more` may come, an unfinished last one is
// held back: `next` is where it begins, and else the end. Pure.
std::vector<LogEntry> lines_in(const std::vector<OutputPiece>& pieces, session::Stage stage,
                               bool more, std::uint64_t& next);

// A reader of it, from a `seq` on. Everything borrowed must outlive it.
class ExecutionLog {
 public:
  ExecutionLog(store::Store& store, const Home& home, RunId play, std::uint64_t after);

  // What is there now: a portion, so that nobody waits long. Empty: nothing, for the moment or
  // (`finished`) for ever.
  Result<std::vector<LogEntry>> read();

  bool finished() const { return finished_; }
  std::uint64_t seq() const { return seq_of(stage_, offset_); }
  void go_on_after(std::uint64_t seq);
  // Whose output comes next; none: that run is not asked for yet.
  const std::optional<RunId>& source() const { return source_; }

 private:
  Result<std::vector<LogEntry>> read_stage(const RunId& run);

  store::Store& store_;
  const Home& home_;
  const RunId play_;
  size_t stage_ = 0;  // Of session::kStages; then comes what became of it.
  std::uint64_t offset_ = 0;
  std::optional<RunId> source_;
  std::optional<OutputReader> output_;
  bool stage_done_ = false;
  bool finished_ = false;
};

}  // namespace drover::api
