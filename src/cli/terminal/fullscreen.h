// Fullscreen takes over the whole terminal: the alternate screen, single keys, no cursor. The
// terminal is restored when this object is destroyed, and also when the program crashes or is ended
// by a signal other than KILL.
//
// One at a time. Poll `fd()` (signals) and standard input; then call `take_signal()` and
// `take_key()`.
#pragma once

#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "cli/terminal/keys.h"

namespace drover::cli {

class Fullscreen {
 public:
  // `no_terminal` if standard input or standard output is not a terminal.
  static Result<Fullscreen> open();
  Fullscreen(Fullscreen&&) noexcept = default;
  Fullscreen& operator=(Fullscreen&&) = delete;
  ~Fullscreen();

  int fd() const { return signals_.get(); }
  // The next signal that asks us to exit, or 0. Handles resizing and stopping itself; after those
  // `redraw()` is true.
  int take_signal();
  bool redraw() { return std::exchange(redraw_, false); }
  std::optional<Key> take_key();

  size_t columns() const { return columns_; }
  size_t rows() const { return rows_; }
  // Draws all lines at once; at most one per row, none wider than the screen.
  Result<> draw(const std::vector<std::string>& lines);

 private:
  Fullscreen() = default;
  void enter();
  void measure();

  Fd signals_;
  std::string typed_;
  size_t columns_ = 80;
  size_t rows_ = 24;
  bool redraw_ = true;
};

}  // namespace drover::cli
