// A report is a message from a keeper, or from the cradle, to the daemon that started it. All share
// one socket that keeps packets apart, so a report arrives whole or not at all. A report only
// notifies the daemon: its content was written into the journal before (except for `grown`), so a
// lost report loses nothing.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/journal.h"

namespace drover::process {

enum class ReportKind : std::uint32_t {
  started = 1,  // StartedRecord: the command was exec'd and has run for a few ms.
  ended,        // EndedReport: all of its processes are gone.
  occupied,     // Another keeper had claimed the run's file; nothing was done.
  refused,      // LaunchFailure: it failed before there was a journal to record it.
  lost,         // From the cradle: the keeper died, and its processes were killed.
  grown,        // GrowthReport: the command has printed more.
};

struct LaunchFailure {
  LaunchStep step = LaunchStep::none;
  std::int32_t error_number = 0;
};

// A command that exits at once is reported once: the report of its end includes its start.
struct EndedReport {
  EndingRecord ending;
  std::int64_t started_wall_ms = 0;  // 0: never.
  UsageRecord usage = {};
};

// How much a command has printed so far. The only report that is not in the journal: a later one
// says the same and more, and the output itself is on disk.
struct GrowthReport {
  std::uint64_t bytes = 0;
  std::uint64_t lines = 0;  // Newlines.
};

struct ReportHeader {
  std::uint32_t bytes = 0;  // Header and payload.
  ReportKind kind = ReportKind::started;
  std::uint64_t tag = 0;  // The daemon's id for the launch.
};

struct Report {
  ReportHeader header;
  union {
    StartedRecord started;
    EndedReport ended;
    LaunchFailure failure;
    GrowthReport grown;
  };
  Report() { std::memset(static_cast<void*>(this), 0, sizeof *this); }
};

// Whether these bytes are exactly one report, as a keeper writes it; then `report` is that report.
// Only its shape is checked: its numbers may be any. Pure.
bool parse_report(std::string_view bytes, Report& report);

// The daemon's request to the cradle: a keeper for the run of that name.
struct Request {
  std::uint64_t tag = 0;
  char directory[56] =
      {};  // The name of the run; its file is `<name>.run` in the directory of all runs.
};
static_assert(sizeof(Request) == 64);
inline constexpr size_t kRequestsMax = 16;  // In one packet.

}  // namespace drover::process
