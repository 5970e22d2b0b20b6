// A Cradle is the daemon's end of the cradle process, which forks a keeper for each run file
// that the daemon names. Keepers outlive the daemon; that is why they exist.
//
//   daemon ──request──> cradle ──fork──> keeper ──exec──> command (and all it starts)
//      ^────────────────report─────────────'
//
// A run is only a name and a file here: this module knows no states, records or lanes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/limits.h"
#include "base/result.h"
#include "process/report.h"

namespace drover::process {

class Cradle {
 public:
  // Starts `program` (drover-keeper) for run files in `runs`. When the Cradle is destroyed, the
  // process exits once its last keeper has exited. `cgroups` is the place for the cgroups of runs
  // with resource limits; empty: none. Commands get `descriptors_max` as their soft limit of open
  // files; 0: the caller's. `reader_away_ms` is how long a command waits for an exact reader that
  // is away (reader_absence.h); tests shorten it.
  static Result<Cradle> start(const std::string& program, const std::string& runs,
                              const std::string& controls, std::uint64_t descriptors_max = 0,
                              const std::string& cgroups = {},
                              std::int64_t reader_away_ms = limits::kReaderAwayMs);

  // Requests go in as whole `Request`s; reports come out one by one (read_report).
  Fd requests;
  Fd reports;
  std::int32_t pid = 0;
};

Request make_request(std::uint64_t tag, std::string_view directory);

// A process that gets hold of the socket (root can) may write into it, so every packet is checked.
enum class ReportRead : std::uint8_t { valid, invalid, none };

// Reads the next report. `invalid`: these bytes are no report; the ones after them are not
// affected. `none`: there is none now, or all writers are gone.
ReportRead read_report(int reports, Report& report);

}  // namespace drover::process
