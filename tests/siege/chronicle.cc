#include "tests/siege/chronicle.h"

#include <algorithm>

namespace drover::siege {
namespace {

constexpr size_t kBlamed = 8;

}  // namespace

void Chronicle::note(std::string_view name, WallMs begun) {
  const std::lock_guard turn(noting_);
  strikes_.push_back({name, begun, SystemClock().wall_ms()});
}

std::string Chronicle::summary() const {
  struct Times {
    int count = 0;
    WallMs longest = 0;
  };
  std::map<std::string_view, Times> all;
  for (const Strike& strike : strikes_) {
    Times& times = all[strike.name];
    ++times.count;
    times.longest = std::max(times.longest, strike.ended - strike.begun);
  }
  std::string out;
  for (const auto& [name, times] : all) {
    out += std::to_string(times.count) + " x " + std::string(name) + ", the longest " +
           std::to_string(times.longest) + " ms\n";
  }
  return out;
}

std::string Chronicle::blame(const Latencies& runs) const {
  std::string out;
  for (const Latencies::Sample& run : runs.slowest(kBlamed)) {
    out += std::to_string(run.ms) + " ms at " + rfc3339(run.begun) + " during:";
    const WallMs end = run.begun + static_cast<WallMs>(run.ms);
    for (const Strike& strike : strikes_) {
      if (strike.begun <= end && strike.ended >= run.begun) {
        out += ' ' + std::string(strike.name) + ';';
      }
    }
    out += '\n';
  }
  return out;
}

std::string Chronicle::text() const {
  std::string out;
  for (const Strike& strike : strikes_) {
    out += rfc3339(strike.begun) + " to " + rfc3339(strike.ended) + " " + std::string(strike.name) +
           "\n";
  }
  return out;
}

}  // namespace drover::siege
