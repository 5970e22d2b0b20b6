#include "screen/screen.h"

#include <vterm.h>

#include <array>

#include "screen/style.h"

namespace drover::screen {
namespace {

void add_utf8(std::string& out, std::uint32_t c) {
  const auto tail = [&](int shift) { out += static_cast<char>(0x80 | ((c >> shift) & 0x3f)); };
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xc0 | c >> 6);
    tail(0);
  } else if (c < 0x10000) {
    out += static_cast<char>(0xe0 | c >> 12);
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xf0 | c >> 18);
    tail(12);
    tail(6);
    tail(0);
  }
}

std::string move_to(const VTermPos& at) {
  return "\x1b[" + std::to_string(at.row + 1) + ";" + std::to_string(at.col + 1) + "H";
}

void add_text(std::string& out, const VTermScreenCell& cell) {
  if (cell.chars[0] == 0) out += ' ';
  for (const std::uint32_t c : cell.chars) {
    if (c == 0) break;
    add_utf8(out, c);
  }
}

}  // namespace

struct Screen::Emulator {
  VTerm* terminal;
  VTermScreen* screen;
  int rows, columns;
  bool other_screen = false, cursor_hidden = false;
  int shape = 0, mouse = 0;

  explicit Emulator(const TerminalSize& size)
      : terminal(vterm_new(size.rows, size.columns)),
        screen(vterm_obtain_screen(terminal)),
        rows(size.rows),
        columns(size.columns) {
    static constexpr VTermScreenCallbacks kCallbacks{.damage = nullptr,
                                                     .moverect = nullptr,
                                                     .movecursor = nullptr,
                                                     .settermprop = &Emulator::on_property,
                                                     .bell = nullptr,
                                                     .resize = nullptr,
                                                     .sb_pushline = nullptr,
                                                     .sb_popline = nullptr};
    vterm_set_utf8(terminal, 1);
    vterm_screen_set_callbacks(screen, &kCallbacks, this);
    vterm_screen_enable_altscreen(screen, 1);
    vterm_screen_set_damage_merge(screen, VTERM_DAMAGE_SCREEN);  // Damage is not used.
    vterm_screen_reset(screen, 1);
    // A program that restores a cursor it never saved gets an invisible one that writes black on
    // black.
    constexpr std::string_view kSave =
        "\x1b"
        "7";
    vterm_input_write(terminal, kSave.data(), kSave.size());
  }
  ~Emulator() { vterm_free(terminal); }
  Emulator(const Emulator&) = delete;
  Emulator& operator=(const Emulator&) = delete;

  static int on_property(VTermProp property, VTermValue* value, void* self) {
    auto& emulator = *static_cast<Emulator*>(self);
    if (property == VTERM_PROP_ALTSCREEN) emulator.other_screen = value->boolean != 0;
    if (property == VTERM_PROP_CURSORVISIBLE) emulator.cursor_hidden = value->boolean == 0;
    if (property == VTERM_PROP_CURSORSHAPE) emulator.shape = value->number;
    if (property == VTERM_PROP_MOUSE) emulator.mouse = value->number;
    return 1;
  }

  VTermScreenCell cell(int row, int column) const {
    VTermScreenCell out{};
    vterm_screen_get_cell(screen, {.row = row, .col = column}, &out);
    return out;
  }

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

std::string Screen::Emulator::row(int row, bool styled) const {
  std::string out;
  size_t shown = 0;
  Style style;
  for (int column = 0; column < columns;) {
    const VTermScreenCell here = cell(row, column);
    const Style wanted(here);
    if (styled && wanted != style) out += wanted.sequence();
    style = wanted;
    add_text(out, here);
    if (here.chars[0] > ' ' || (styled && wanted.shows_blank())) shown = out.size();
    column += std::max<int>(1, here.width);
  }
  out.resize(shown);
  if (styled && out.find('\x1b') != std::string::npos) out += "\x1b[0m";
  return out;
}

std::string Screen::Emulator::modes() {
  constexpr auto kNone = VTERM_MOD_NONE;
  std::string out;
  if (sends([&] { vterm_keyboard_key(terminal, VTERM_KEY_UP, kNone); }, "\x1bO")) out += "\x1b[?1h";
  const auto keypad = static_cast<VTermKey>(VTERM_KEY_KP_0);
  if (sends([&] { vterm_keyboard_key(terminal, keypad, kNone); }, "\x1bO")) out += "\x1b=";
  if (sends([&] { vterm_keyboard_start_paste(terminal); }, "200~")) out += "\x1b[?2004h";
  if (sends([&] { vterm_state_focus_in(vterm_obtain_state(terminal)); }, "[I")) {
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

Screen::Screen(const TerminalSize& size) : emulator_(std::make_unique<Emulator>(size)) {}
Screen::~Screen() = default;
Screen::Screen(Screen&&) noexcept = default;

void Screen::see(std::string_view bytes) {
  vterm_input_write(emulator_->terminal, bytes.data(), bytes.size());
}

void Screen::resize(const TerminalSize& size) {
  emulator_->rows = size.rows;
  emulator_->columns = size.columns;
  vterm_set_size(emulator_->terminal, size.rows, size.columns);
  VTermPos cursor{};
  vterm_state_get_cursorpos(vterm_obtain_state(emulator_->terminal), &cursor);
  skip();
  see("\x1b[r" + move_to(cursor));  // Setting the margins moves the cursor.
}

void Screen::skip() {
  see("\x18");  // CAN.
}

std::string Screen::text() const {
  std::string out;
  size_t shown = 0;
  for (int row = 0; row < emulator_->rows; ++row) {
    const std::string line = emulator_->row(row, false);
    out.append(line) += '\n';
    if (!line.empty()) shown = out.size();
  }
  out.resize(shown);
  return out;
}

std::string Screen::redraw() {
  std::string out = emulator_->other_screen ? "\x1b[?1049h" : "";
  out += "\x1b[0m\x1b[H\x1b[2J";
  for (int row = 0; row < emulator_->rows; ++row) {
    const std::string line = emulator_->row(row, true);
    if (line.empty()) continue;
    out.append("\x1b[").append(std::to_string(row + 1)).append("H").append(line);
  }
  VTermPos cursor{};
  vterm_state_get_cursorpos(vterm_obtain_state(emulator_->terminal), &cursor);
  return out + move_to(cursor) + emulator_->modes();
}

}  // namespace drover::screen
