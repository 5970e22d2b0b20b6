// The tally counts what was recorded since the daemon started, for metrics; no decision depends on
// it. It counts events as they are shown, and never queries the store. A fact may be counted twice
// if it was recorded while the store could neither say whether another write had landed nor be
// read.
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
  // Counts the events of a commit, except those up to `counted`.
  void see(const store::Written& written, std::int64_t counted = 0);
  void appended(double seconds, size_t events);  // One write, from the request to the answer.

  struct Kind {
    std::uint64_t submitted = 0;
    std::array<std::uint64_t, run::kStates.size()> ended{};  // By its finished state.
    Histogram duration;
  };
  std::map<std::string, Kind> kinds;
  Histogram queue_wait;                              // From the submission to the slot.
  Histogram start_latency;                           // From the submission to the exec.
  Histogram append;                                  // From the request until it is durable.
  std::map<std::string, Histogram> cancel_duration;  // By the resulting state.
  std::uint64_t events = 0;
  std::uint64_t deleted = 0;
  std::uint64_t output_bytes = 0;
  std::uint64_t dropped_bytes = 0;  // Output that is not kept.
  std::uint64_t orphans = 0;        // Processes that outlived their command and were killed.

 private:
  void see(const run::Event& event, const run::Record& record);
  void see_receipt(const std::string& receipt);
  std::unordered_map<RunId, WallMs> canceling_;  // Active ones only.
};

}  // namespace drover::spine
