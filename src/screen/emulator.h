// An Emulator is a terminal that a program prints to: libvterm parses the bytes and keeps the
// cursor, the margins and the modes; the cells are in a Grid for each of its two screens. Pure.
#pragma once

#include <vterm.h>

#include <string>
#include <string_view>

#include "base/journal.h"
#include "screen/csi_guard.h"
#include "screen/grid.h"

namespace drover::screen {

struct Emulator {
  VTerm* terminal;
  VTermState* state;
  Grid main, other;
  Pen pen = {};
  bool other_screen = false, cursor_hidden = false, all_reversed = false;
  int shape = 0, mouse = 0;
  CsiGuard guard = {};
  std::string last_letter = {};  // In UTF-8. Empty: none, or one without a width.

  // Has at least two columns: libvterm moves the cursor out of a narrower one, on a line of double
  // width.
  explicit Emulator(const TerminalSize& size);
  ~Emulator() { vterm_free(terminal); }
  Emulator(const Emulator&) = delete;
  Emulator& operator=(const Emulator&) = delete;

  void see(std::string_view bytes);
  void resize(const TerminalSize& size) { vterm_set_size(terminal, size.rows, columns_for(size)); }
  // Prints the last letter again, at most to the end of the line.
  void repeat(int count);
  VTermPos cursor() const;
  static int columns_for(const TerminalSize& size) { return size.columns < 2 ? 2 : size.columns; }

  // The screen that is shown.
  Grid& grid() { return other_screen ? other : main; }
  const Grid& grid() const { return other_screen ? other : main; }
};

}  // namespace drover::screen
