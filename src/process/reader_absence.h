// A ReaderAbsence tells how long the exact reader of a command's output has been away. A daemon
// that dies is not the death of the reader: it has limits::kReaderAwayMs to connect through the
// next daemon. Pure: the caller says when it looked.
#pragma once

#include <cstdint>

#include "base/limits.h"

namespace drover::process {

class ReaderAbsence {
 public:
  explicit ReaderAbsence(std::int64_t away_ms = limits::kReaderAwayMs)
      : away_ns_(away_ms * 1'000'000) {}

  // Call it in each round of the loop.
  void look(bool is_connected, std::int64_t now_ns) {
    if (is_connected) {
      since_ns_ = 0;
    } else if (since_ns_ == 0) {
      since_ns_ = now_ns;
    }
  }
  // When nobody needs to wait for the reader any more; 0: it is not away.
  std::int64_t final_at_ns() const { return since_ns_ == 0 ? 0 : since_ns_ + away_ns_; }
  bool is_final(std::int64_t now_ns) const { return since_ns_ != 0 && now_ns >= final_at_ns(); }

 private:
  std::int64_t away_ns_;
  std::int64_t since_ns_ = 0;  // 0: it is connected, or nobody has looked yet.
};

}  // namespace drover::process
