// Interrupts makes the signals to a foreground command readable, so that its loop handles them
// between two steps.
#pragma once

#include "base/fd.h"

namespace drover::cli {

// Blocks INT, TERM and HUP and makes them readable. Signals that were ignored when we started
// (nohup, a background job) stay ignored. Create it before the run is submitted, so that no Ctrl-C
// is lost in between.
class Interrupts {
 public:
  // With `terminal`, also WINCH (the terminal was resized) and TSTP (stop).
  explicit Interrupts(bool terminal = false);
  int fd() const { return fd_.get(); }
  int take();  // The next signal, or 0.

 private:
  Fd fd_;
};

}  // namespace drover::cli
