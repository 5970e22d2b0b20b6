// Pace decides when a stream writes: at once while there is little to send, and every 50 ms under
// load, so that a busy run costs each subscriber twenty writes a second and not ten thousand. Pure.
#pragma once

#include <chrono>

#include "base/limits.h"

namespace drover::api {

class Pace {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Span = std::chrono::steady_clock::duration;

  // How long to collect before the next write.
  Span delay(Time now) const {
    if (burst_ < limits::kFlushBurst) return Span::zero();
    const Span since = now - last_;
    return since < kEvery ? kEvery - since : Span::zero();
  }

  void wrote(Time now) {
    // A pause between two writes ends the load; a write delayed by just kEvery does not.
    if (now - last_ > 2 * kEvery) burst_ = 0;
    if (burst_ < limits::kFlushBurst) ++burst_;
    last_ = now;
  }

 private:
  static constexpr Span kEvery = std::chrono::milliseconds(limits::kFlushEveryMs);
  Time last_{};
  int burst_ = 0;  // Writes since the last pause.
};

}  // namespace drover::api
