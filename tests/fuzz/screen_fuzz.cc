// Fuzzes the screen of a terminal. The first four bytes are its size before and after a resize, the
// fifth is the share of the others that is printed before it. The cursor stays on the screen, the
// text is UTF-8 and fits, and another terminal that is redrawn from it shows the same text.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/text.h"
#include "screen/emulator.h"
#include "screen/screen.h"

namespace {

using drover::TerminalSize;

// Small, so that a few bytes reach every edge.
TerminalSize size_of(const std::uint8_t* data) {
  return {.rows = static_cast<std::uint16_t>(1 + data[0] % 24),
          .columns = static_cast<std::uint16_t>(1 + data[1] % 80)};
}

void expect_cursor_within(const drover::screen::Emulator& emulator, const TerminalSize& size) {
  const VTermPos at = emulator.cursor();
  const int columns = drover::screen::Emulator::columns_for(size);
  if (at.row < 0 || at.row >= size.rows || at.col < 0 || at.col >= columns) {
    std::fprintf(stderr, "the cursor is at %d,%d\n", at.row, at.col);
    std::abort();
  }
  const auto& grid = emulator.grid();
  if (grid.rows() != size.rows || grid.columns() != columns) std::abort();
}

void expect_fits(const std::string& text, const TerminalSize& size) {
  if (!drover::is_utf8(text)) std::abort();
  if (std::ranges::count(text, '\n') > size.rows) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, size_t size) {
  if (size < 5) return 0;
  const TerminalSize first = size_of(data), now = size_of(data + 2);
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 5, size - 5);
  const std::string_view before = bytes.substr(0, bytes.size() * data[4] / 256);
  const std::string_view after = bytes.substr(before.size());

  drover::screen::Emulator emulator(first);
  emulator.see(before);
  expect_cursor_within(emulator, first);
  emulator.resize(now);
  emulator.see(after);
  expect_cursor_within(emulator, now);

  drover::screen::Screen screen(first);
  screen.see(before);
  expect_fits(screen.text(), first);
  screen.resize(now);
  screen.see(after);
  screen.skip();
  expect_fits(screen.text(), now);
  drover::screen::Screen copy(now);
  copy.see(screen.redraw());
  // No terminal shows half a wide character; the emulator keeps it.
  const bool is_narrow =
      std::ranges::all_of(bytes, [](char c) { return static_cast<signed char>(c) >= 0; });
  if (is_narrow && copy.text() != screen.text()) std::abort();
  return 0;
}
