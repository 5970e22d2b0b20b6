// An entry of a play's execution log (P9): one line of what a step or the runtime printed.
//
// Its `seq` only rises and says where to go on: the stage in its high bits, and in the low ones the
// byte of that stage's output behind the entry. It is below 2^53, so that every reader of JSON has
// it exactly.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "base/output_file.h"
#include "play/diagnostics.h"
#include "play/play_session.h"
#include "queries/output_lines.h"

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

// How the output of a stage is read. A line of the validation may be a diagnostic, which counts as
// a whole, whatever was printed to stderr meanwhile.
queries::LineRules line_rules(play::Stage stage);
LogEntry entry_of(play::Stage stage, queries::OutputLine line);

// {"seq","source","severity","stream","time","text"}, and "base64" for what is no UTF-8.
std::string text_of(const LogEntry& entry);

inline constexpr size_t kLogEnd = play::kStages.size();  // Behind all stages.
inline constexpr std::uint64_t kLogSeqMax = (std::uint64_t{1} << 53) - 1;
std::uint64_t seq_of(size_t stage, std::uint64_t offset);
std::pair<size_t, std::uint64_t> place_of(std::uint64_t seq);  // Stage and offset.

}  // namespace drover::api
