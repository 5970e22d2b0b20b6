// Interrupts makes the signals to a foreground command readable, so that its loop handles them
// between two steps.
#pragma once

#include "base/fd.h"

namespace drover::cli {

// Takes INT, TERM and HUP out of their usual course and makes them readable. What was ignored when
// we were started (nohup, a background job) stays ignored. Make it before the run is asked for, so
// that no Ctrl-C falls between.
class Interrupts {
 public:
  // With `terminal`, also that the terminal was resized (WINCH), and that we are to stop (TSTP).
  explicit Interrupts(bool terminal = false);
  int fd() const { return fd_.get(); }
  int take();  // The next signal, or 0.

 private:
  Fd fd_;
};

}  // namespace drover::cli
