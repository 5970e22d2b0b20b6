// The tally is what has been recorded since the daemon began, in numbers: kept as facts pass by,
// never counted by looking through the store. Metrics are made of it; nothing is decided by it.
// A fact may be counted twice if it was recorded while the store could neither say whether another
// write had landed nor be read.
//
// Lives on the daemon's loop.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>

#include "base/histogram.h"
#include "store/store.h"

namespace drover::spine {

class Tally {
 public:
  // Counts the events of a commit, but for those up to `counted`.
  void see(const store::Written& written, std::int64_t counted = 0);
  void appended(double seconds, size_t events);  // One write, from the asking to the telling.

  struct Kind {
    std::uint64_t submitted = 0;
    std::array<std::uint64_t, run::kStates.size()> ended{};  // By the state it ended in.
    Histogram duration;
  };
  std::map<std::string, Kind> kinds;
  Histogram queue_wait;                              // From the submission to the slot.
  Histogram start_latency;                           // From the submission to the exec.
  Histogram append;                                  // A fact, until it was durable.
  std::map<std::string, Histogram> cancel_duration;  // By the state it led to.
  std::uint64_t events = 0;
  std::uint64_t deleted = 0;
  std::uint64_t output_bytes = 0;
  std::uint64_t dropped_bytes = 0;  // Of output, that no disk took.
  std::uint64_t orphans = 0;        // Left behind by commands, and ended with their runs.

 private:
  void see(const run::Event& event, const run::Record& record);
  void see_receipt(const std::string& receipt);
  std::unordered_map<RunId, WallMs> canceling_;  // Active ones only.
};

}  // namespace drover::spine
