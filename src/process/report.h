// A report is what a keeper, or the cradle, tells the daemon that started it. All of them share one
// pipe; a report is smaller than PIPE_BUF, so it arrives whole. It is news, not evidence: whatever
// it says was written into the journal before, and a lost report loses nothing.
#pragma once

#include <cstdint>
#include <cstring>

#include "base/journal.h"

namespace drover::process {

enum class ReportKind : std::uint32_t {
  started = 1,  // StartedRecord: the command has been exec'd, and has lived for a few ms.
  ended,        // EndedReport: everything of it is gone.
  occupied,     // The directory was claimed by somebody else; nothing was done.
  refused,      // LaunchFailure: it failed before there was a journal to say so.
  lost,         // From the cradle: the keeper died, and what it left has been killed.
};

struct LaunchFailure {
  LaunchStep step = LaunchStep::none;
  std::int32_t error_number = 0;
};

// A command that ends at once is reported once: its start comes with its end.
struct EndedReport {
  EndingRecord ending;
  std::int64_t started_wall_ms = 0;  // 0: never.
  UsageRecord usage = {};
};

struct ReportHeader {
  std::uint32_t bytes = 0;  // Of header and payload.
  ReportKind kind = ReportKind::started;
  std::uint64_t tag = 0;  // The daemon's own name for the launch.
};

struct Report {
  ReportHeader header;
  union {
    StartedRecord started;
    EndedReport ended;
    LaunchFailure failure;
  };
  Report() { std::memset(static_cast<void*>(this), 0, sizeof *this); }
};
static_assert(sizeof(Report) <= 4096);  // PIPE_BUF.

// What the daemon asks of the cradle: a keeper for the run of that name.
struct Request {
  std::uint64_t tag = 0;
  char directory[56] = {};  // Below the directory of all runs; the run's file is named like it.
};
static_assert(sizeof(Request) == 64);

}  // namespace drover::process
