#include "screen/screen.h"

#include <vterm.h>

#include <array>

#include "screen/emulator.h"
#include "screen/style.h"
#include "screen/utf8.h"

namespace drover::screen {
namespace {

constexpr std::string_view kCancel = "\x18";  // Ends an incomplete escape sequence.

std::string move_to(const VTermPos& at) {
  return "\x1b[" + std::to_string(at.row + 1) + ";" + std::to_string(at.col + 1) + "H";
}

void add_text(std::string& out, const Cell& cell) {
  if (cell.chars[0] == 0) out += ' ';
  for (const std::uint32_t c : cell.chars) {
    if (c == 0) break;
    add_utf8(out, c);
  }
}

}  // namespace

struct Screen::Terminal : Emulator {
  using Emulator::Emulator;

  // The bytes that it would send now: libvterm reveals some modes in no other way.
  std::string sent() {
    std::array<char, 64> buffer;
    std::string out;
    while (const size_t n = vterm_output_read(terminal, buffer.data(), buffer.size())) {
      out.append(buffer.data(), n);
    }
    return out;
  }
  template <class Act>
  bool sends(Act act, std::string_view what) {
    (void)sent();
    act();
    return sent().find(what) != std::string::npos;
  }

  // A row up to its last visible cell.
  std::string row(int row, bool styled) const;
  std::string modes();
};

std::string Screen::Terminal::row(int row, bool styled) const {
  std::string out;
  size_t shown = 0;
  Style style;
  const Grid& cells = grid();
  // All cells behind the used ones look the same: one shows whether they are visible.
  const int behind = cells.used(row);
  for (int column = 0; column < cells.columns();) {
    const Cell& here = cells.cell(row, column);
    Pen look = here.pen;
    look.reverse = look.reverse != all_reversed;
    const Style wanted = styled ? Style(look) : Style();
    if (wanted != style) out += wanted.sequence();
    style = wanted;
    if (column >= behind && !wanted.shows_blank()) break;
    add_text(out, here);
    if (here.chars[0] > ' ' || wanted.shows_blank()) shown = out.size();
    column += cells.width(row, column);
  }
  out.resize(shown);
  if (styled && out.find('\x1b') != std::string::npos) out += "\x1b[0m";
  return out;
}

std::string Screen::Terminal::modes() {
  constexpr auto kNone = VTERM_MOD_NONE;
  std::string out;
  if (sends([&] { vterm_keyboard_key(terminal, VTERM_KEY_UP, kNone); }, "\x1bO")) out += "\x1b[?1h";
  const auto keypad = static_cast<VTermKey>(VTERM_KEY_KP_0);
  if (sends([&] { vterm_keyboard_key(terminal, keypad, kNone); }, "\x1bO")) out += "\x1b=";
  if (sends([&] { vterm_keyboard_start_paste(terminal); }, "200~")) out += "\x1b[?2004h";
  if (sends([&] { vterm_state_focus_in(state); }, "[I")) {
    out += "\x1b[?1004h";
  }
  if (mouse != VTERM_PROP_MOUSE_NONE) {
    out += mouse == VTERM_PROP_MOUSE_CLICK  ? "\x1b[?1000h"
           : mouse == VTERM_PROP_MOUSE_DRAG ? "\x1b[?1002h"
                                            : "\x1b[?1003h";
    if (sends([&] { vterm_mouse_button(terminal, 1, true, kNone); }, "\x1b[<"))
      out += "\x1b[?1006h";
  }
  if (shape == VTERM_PROP_CURSORSHAPE_UNDERLINE) out += "\x1b[4 q";
  if (shape == VTERM_PROP_CURSORSHAPE_BAR_LEFT) out += "\x1b[6 q";
  if (cursor_hidden) out += "\x1b[?25l";
  return out;
}

Screen::Screen(const TerminalSize& size) : terminal_(std::make_unique<Terminal>(size)) {}
Screen::~Screen() = default;
Screen::Screen(Screen&&) noexcept = default;

void Screen::see(std::string_view bytes) {
  terminal_->see(bytes);
}

void Screen::resize(const TerminalSize& size) {
  terminal_->resize(size);
  const VTermPos cursor = terminal_->cursor();
  see(kCancel);
  see("\x1b[r" + move_to(cursor));  // Setting the margins moves the cursor.
}

void Screen::skip() {
  see(kCancel);
  if (!terminal_->other_screen && terminal_->cursor().col > 0) see("\r\n");
}

std::string Screen::text() const {
  std::string out;
  size_t shown = 0;
  for (int row = 0; row < terminal_->grid().rows(); ++row) {
    const std::string line = terminal_->row(row, false);
    out.append(line) += '\n';
    if (!line.empty()) shown = out.size();
  }
  out.resize(shown);
  return out;
}

std::string Screen::redraw() {
  std::string out = terminal_->other_screen ? "\x1b[?1049h" : "";
  out += "\x1b[0m\x1b[H\x1b[2J";
  for (int row = 0; row < terminal_->grid().rows(); ++row) {
    const std::string line = terminal_->row(row, true);
    if (line.empty()) continue;
    out.append("\x1b[").append(std::to_string(row + 1)).append("H").append(line);
  }
  return out + move_to(terminal_->cursor()) + terminal_->modes();
}

}  // namespace drover::screen
