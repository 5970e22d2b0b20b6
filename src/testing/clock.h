// ManualClock is a clock that a test sets; it never moves by itself. Any thread may read it while
// the test sets it.
#pragma once

#include <atomic>

#include "base/clock.h"

namespace drover::testing {

class ManualClock final : public Clock {
 public:
  explicit ManualClock(WallMs wall = 1'800'000'000'000, MonoNs mono = 1'000'000'000)
      : wall_(wall), mono_(mono) {}

  WallMs wall_ms() const override { return wall_; }
  MonoNs mono_ns() const override { return mono_; }

  // Advances both clocks.
  void advance_ms(std::int64_t ms) {
    wall_ += ms;
    mono_ += ms * 1'000'000;
  }
  // Sets the wall clock only, as a person would; no time passes.
  void set_wall(WallMs wall) { wall_ = wall; }

 private:
  std::atomic<WallMs> wall_;
  std::atomic<MonoNs> mono_;
};

}  // namespace drover::testing
