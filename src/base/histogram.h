// A Histogram counts durations in seconds: how many were at most 1 ms, at most 5 ms and so on. Its
// size is fixed.
#pragma once

#include <array>
#include <cstdint>

namespace drover {

class Histogram {
 public:
  // From a commit on a fast disk to an overnight job.
  static constexpr auto kBounds = std::to_array<double>(
      {0.001, 0.005, 0.025, 0.1, 0.5, 1, 5, 30, 60, 300, 1'800, 7'200, 43'200});

  void add(double seconds) {
    if (seconds < 0) seconds = 0;  // The clock was set back.
    size_t i = 0;
    while (i < kBounds.size() && seconds > kBounds[i]) ++i;
    ++counts_[i];
    sum_ += seconds;
  }

  // How many were at most kBounds[i]; all of them if i is past the last bound.
  std::uint64_t at_most(size_t i) const {
    std::uint64_t count = 0;
    for (size_t k = 0; k <= i && k < counts_.size(); ++k) count += counts_[k];
    return count;
  }
  std::uint64_t count() const { return at_most(kBounds.size()); }
  double sum() const { return sum_; }

 private:
  std::array<std::uint64_t, kBounds.size() + 1> counts_{};
  double sum_ = 0;
};

}  // namespace drover
