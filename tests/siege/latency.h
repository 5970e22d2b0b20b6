// Latencies are the times that the runs of one user took, in quiet and under siege.
//
// This is the one place where a test judges times: the promise of the siege is about them. It
// compares medians and a high percentile of the whole siege, never a single sample.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "base/clock.h"

namespace drover::siege {

inline constexpr double kSlowdownMax = 10;      // Of the median, times the quiet one.
inline constexpr double kTailSlowdownMax = 10;  // Of the 95th percentile, times the bound above.
inline constexpr double kQuietMsMin = 2;        // A quieter machine is not held to less.

class Latencies {
 public:
  struct Sample {
    WallMs begun = 0;
    double ms = 0;
  };
  // It began that long ago.
  void add(double ms) {
    samples_.push_back({SystemClock().wall_ms() - static_cast<WallMs>(ms), ms});
  }
  size_t count() const { return samples_.size(); }
  double percentile(double share) const {
    if (samples_.empty()) return 0;
    std::vector<Sample> sorted = samples_;
    std::ranges::sort(sorted, {}, &Sample::ms);
    return sorted[static_cast<size_t>(share * static_cast<double>(sorted.size() - 1))].ms;
  }
  double median() const { return percentile(0.5); }
  // The slowest, slowest first.
  std::vector<Sample> slowest(size_t count) const {
    std::vector<Sample> sorted = samples_;
    std::ranges::sort(sorted, std::greater(), &Sample::ms);
    sorted.resize(std::min(count, sorted.size()));
    return sorted;
  }

 private:
  std::vector<Sample> samples_;
};

inline std::string describe(const Latencies& all) {
  return "median " + std::to_string(all.median()) + " ms, 95% " +
         std::to_string(all.percentile(0.95)) + " ms, " + std::to_string(all.count()) + " runs";
}

inline void expect_answered_in_time(const Latencies& quiet, const Latencies& siege,
                                    const std::string& who) {
  const double bound = kSlowdownMax * std::max(quiet.median(), kQuietMsMin);
  SCOPED_TRACE(who + ": in quiet " + describe(quiet) + "; under siege " + describe(siege));
  EXPECT_GE(siege.count(), 20U) << "too few to judge";
  EXPECT_LE(siege.median(), bound) << "ms";
  EXPECT_LE(siege.percentile(0.95), bound * kTailSlowdownMax) << "ms";
}

}  // namespace drover::siege
