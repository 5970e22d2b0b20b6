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
#include "base/result.h"
#include "process/report.h"

namespace drover::process {

class Cradle {
 public:
  // Starts `program` (drover-keeper) for directories below `runs`. When the Cradle is destroyed,
  // the process exits once its last keeper has exited. `cgroups` is the place for the cgroups of
  // runs with resource limits; empty: none. Commands get `descriptors_max` as their soft limit of
  // open files; 0: the caller's.
  static Result<Cradle> start(const std::string& program, const std::string& runs,
                              const std::string& controls, std::uint64_t descriptors_max = 0,
                              const std::string& cgroups = {});

  // Requests go in as whole `Request`s; reports come out as a stream (ReportReader).
  Fd requests;
  Fd reports;
  std::int32_t pid = 0;
};

Request make_request(std::uint64_t tag, std::string_view directory);

// Splits the stream of reports into reports.
class ReportReader {
 public:
  void add(std::string_view bytes) { buffer_ += bytes; }
  // False: the next report is incomplete.
  bool next(Report& report);

 private:
  std::string buffer_;
  size_t at_ = 0;
};

}  // namespace drover::process
