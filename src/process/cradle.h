// The daemon's end of a cradle: a process that forks a keeper for each directory it is asked for. A
// keeper outlives the daemon; that is its only reason to exist.
//
//   daemon ──request──> cradle ──fork──> keeper ──exec──> command (and all it starts)
//      ^────────────────report─────────────'
//
// This module knows processes; it has never heard of runs.
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
  // Starts `program` (drover-keeper) for directories below `runs`. Letting go of the Cradle ends it
  // once its last keeper is gone.
  // `cgroups` is where those of runs with limits are made; empty: nowhere.
  // Commands get `descriptors_max` as their soft limit of open files; 0: what the caller has.
  static Result<Cradle> start(const std::string& program, const std::string& runs,
                              const std::string& controls, std::uint64_t descriptors_max = 0,
                              const std::string& cgroups = {});

  // Requests go in as whole `Request`s; reports come out as a stream (ReportReader).
  Fd requests;
  Fd reports;
  std::int32_t pid = 0;
};

Request make_request(std::uint64_t tag, std::string_view directory);

// Cuts the stream of reports into reports.
class ReportReader {
 public:
  void add(std::string_view bytes) { buffer_ += bytes; }
  // False: no whole report is there yet.
  bool next(Report& report);

 private:
  std::string buffer_;
  size_t at_ = 0;
};

}  // namespace drover::process
