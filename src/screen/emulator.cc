#include "screen/emulator.h"

#include <algorithm>

#include "screen/utf8.h"

namespace drover::screen {
namespace {

Emulator& of(void* self) {
  return *static_cast<Emulator*>(self);
}

// Some sequences move libvterm's cursor out of the screen, as does restoring one that was saved
// before the screen shrank. Terminals keep it on the last line.
VTermPos within(const Grid& grid, VTermPos at) {
  return {.row = std::clamp(at.row, 0, grid.rows() - 1),
          .col = std::clamp(at.col, 0, grid.columns() - 1)};
}

int on_glyph(VTermGlyphInfo* glyph, VTermPos at, void* self) {
  of(self).grid().put(within(of(self).grid(), at), *glyph, of(self).pen);
  std::string& last = of(self).last_letter;
  last.clear();
  for (int i = 0; glyph->width > 0 && i < VTERM_MAX_CHARS_PER_CELL && glyph->chars[i] != 0; ++i) {
    add_utf8(last, glyph->chars[i]);
  }
  return 1;
}
// 0: libvterm makes it a move and an erasure.
int on_scroll(VTermRect rect, int down, int right, void* self) {
  Grid& grid = of(self).grid();
  if (right != 0 || rect.start_col != 0 || rect.end_col != grid.columns()) return 0;
  grid.scroll(rect.start_row, rect.end_row, down, of(self).pen);
  return 1;
}
int on_move(VTermRect to, VTermRect from, void* self) {
  of(self).grid().move(to, from);
  return 1;
}
int on_erase(VTermRect rect, int selective, void* self) {
  of(self).grid().erase(rect, of(self).pen, selective != 0);
  return 1;
}
int on_pen(VTermAttr attribute, VTermValue* value, void* self) {
  of(self).pen.set(attribute, *value);
  return 1;
}
int on_property(VTermProp property, VTermValue* value, void* self) {
  Emulator& emulator = of(self);
  if (property == VTERM_PROP_ALTSCREEN) emulator.other_screen = value->boolean != 0;
  if (property == VTERM_PROP_CURSORVISIBLE) emulator.cursor_hidden = value->boolean == 0;
  if (property == VTERM_PROP_CURSORSHAPE) emulator.shape = value->number;
  if (property == VTERM_PROP_MOUSE) emulator.mouse = value->number;
  if (property == VTERM_PROP_REVERSE) emulator.all_reversed = value->boolean != 0;
  return 1;
}
// A line of double width shows only its left half.
int on_line(int row, const VTermLineInfo* now, const VTermLineInfo* before, void* self) {
  if (now->doublewidth == 0 || before->doublewidth != 0) return 1;
  const int columns = of(self).grid().columns();
  return on_erase(
      {.start_row = row, .end_row = row + 1, .start_col = columns / 2, .end_col = columns}, 0,
      self);
}
int on_resize(int rows, int columns, VTermPos* moved, void* self) {
  Emulator& emulator = of(self);
  Grid& grid = emulator.grid();
  // Blank rows below the cursor are dropped first, then those at the top.
  VTermPos cursor{};
  vterm_state_get_cursorpos(emulator.state, &cursor);
  int last = grid.rows() - 1;
  while (last >= rows && last != cursor.row && grid.is_blank(last)) --last;
  if (const int lost = last + 1 - rows; !emulator.other_screen && lost > 0) {
    grid.scroll(0, grid.rows(), lost, emulator.pen);
    moved->row -= std::min(lost, cursor.row);  // libvterm would follow it above the screen.
  }
  emulator.main.resize(rows, columns, emulator.pen);
  emulator.other.resize(rows, columns, emulator.pen);
  return 1;
}

constexpr VTermStateCallbacks kCallbacks{.putglyph = on_glyph,
                                         .movecursor = nullptr,
                                         .scrollrect = on_scroll,
                                         .moverect = on_move,
                                         .erase = on_erase,
                                         .initpen = nullptr,
                                         .setpenattr = on_pen,
                                         .settermprop = on_property,
                                         .bell = nullptr,
                                         .resize = on_resize,
                                         .setlineinfo = on_line};

}  // namespace

Emulator::Emulator(const TerminalSize& size)
    : terminal(vterm_new(size.rows, columns_for(size))),
      state(vterm_obtain_state(terminal)),
      main(size.rows, columns_for(size)),
      other(size.rows, columns_for(size)) {
  vterm_set_utf8(terminal, 1);
  vterm_state_set_callbacks(state, &kCallbacks, this);
  vterm_state_reset(state, 1);
  // A program that restores a cursor it never saved gets an invisible one that writes black on
  // black.
  see("\x1b"
      "7");
}

void Emulator::see(std::string_view bytes) {
  const auto write = [this](std::string_view some) {
    vterm_input_write(terminal, some.data(), some.size());
  };
  size_t begin = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    const CsiGuard::Advice advice = guard.look_at(bytes[i]);
    if (advice == CsiGuard::Advice::pass) continue;
    write(bytes.substr(begin, i - begin));
    begin = i + 1;
    if (advice != CsiGuard::Advice::repeat) continue;
    write("\x18");  // CAN.
    repeat(guard.count());
  }
  write(bytes.substr(begin));
}

void Emulator::repeat(int count) {
  const std::string letter = last_letter;
  for (; count > 0 && !letter.empty(); --count) {
    const int column = cursor().col;
    vterm_input_write(terminal, letter.data(), letter.size());
    if (cursor().col <= column) return;  // The last column.
  }
}

VTermPos Emulator::cursor() const {
  VTermPos at{};
  vterm_state_get_cursorpos(state, &at);
  return within(grid(), at);
}

}  // namespace drover::screen
