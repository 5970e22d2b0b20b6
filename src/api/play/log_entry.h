// A LogEntry is an entry of a play's execution log (P9): one line of output of a step or of the
// runtime.
//
// Its `seq` only rises, and reading can resume at it: the high bits are the stage, the low bits are
// the offset after the entry in that stage's output. It is below 2^53, so that every JSON parser
// reads it exactly.
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
  std::string_view source;  // A stage, or `play`: a message of Drover itself.
  play::Severity severity = play::Severity::info;
  Stream stream = Stream::out;
  WallMs time = 0;
  std::string text = {};  // Without its newline.
  std::optional<play::Diagnostic> diagnostic = {};
  std::string code = {};  // Of `play`.
  // Set: not a line, but bytes of the stage's output that are not kept; `text` says so to people.
  struct Gap {
    std::uint64_t from = 0, to = 0;
  };
  std::optional<Gap> gap = {};
};

// How to split the output of a stage into lines. A line of the validation may be a diagnostic, so
// stderr must not split it.
queries::LineRules line_rules(play::Stage stage);
LogEntry entry_of(play::Stage stage, queries::OutputLine line);

// {"seq","source","severity","stream","time","text"}, with "base64" for bytes that are not UTF-8; a
// gap has also {"gap":{"from","to"}}.
std::string text_of(const LogEntry& entry);

inline constexpr size_t kLogEnd = play::kStages.size();  // After all stages.
inline constexpr std::uint64_t kLogSeqMax = (std::uint64_t{1} << 53) - 1;
std::uint64_t seq_of(size_t stage, std::uint64_t offset);
std::pair<size_t, std::uint64_t> position_of(std::uint64_t seq);  // Stage and offset.

}  // namespace drover::api
