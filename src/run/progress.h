// Progress is what is known of a running run before its end. It is of two sorts: what the run
// itself says (`drover progress`), and the growth of its output. The record keeps the last of each
// as JSON; every report is an event, `run.progress` (docs/events.md). Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"

namespace drover::run {

// At least one field is set.
struct SaidProgress {
  std::optional<int> percent = {};  // 0 … 100
  std::string text = {};            // Redacted.
  std::optional<std::int64_t> done = {}, total = {};
};

// How much the command has printed so far.
struct OutputGrowth {
  std::int64_t bytes = 0;
  std::optional<std::int64_t> lines = {};  // Newlines; not set: nobody counted them.
};

// Checks the fields, and computes the percentage from `done` and `total` if it is not given.
Result<SaidProgress> validated(SaidProgress said);

// The data of the event: a JSON object.
std::string event_data(const SaidProgress& said);
std::string event_data(const OutputGrowth& growth);

// The progress of a record (`before`, empty: none) after a report.
std::string with_said(std::string_view before, const SaidProgress& said, WallMs at);
std::string with_growth(std::string_view before, const OutputGrowth& growth, WallMs at);

// The bytes of output in it; 0 if it does not say.
std::int64_t output_bytes_in(std::string_view progress);

}  // namespace drover::run
