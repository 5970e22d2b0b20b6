#include "cli/terminal/terminal_modes.h"

#include <algorithm>
#include <charconv>

namespace drover::cli {
namespace {

constexpr size_t kSequenceMax = 64;  // Longer sequences are not ones we track.
constexpr int kKeyboardsMax = 16;    // No terminal keeps more.

// Whether a private mode is on in a terminal after a reset.
bool is_usually_on(int mode) {
  constexpr int kAutoWrap = 7, kCursor = 25;
  return mode == kAutoWrap || mode == kCursor;
}

}  // namespace

void TerminalModes::see(std::string_view bytes) {
  constexpr char kEscape = '\x1b', kShiftOut = '\x0e', kShiftIn = '\x0f';
  for (const char c : bytes) {
    if (c == kEscape) {
      at_ = At::escape;
    } else if (at_ == At::escape) {
      at_ = c == '[' ? At::sequence : c == '(' ? At::charset : At::text;
      sequence_.clear();
      if (c == '=' || c == '>') keypad_ = c == '=';
      if (c == 'c') *this = {};  // A full reset.
    } else if (at_ == At::charset) {
      drawing_ = c != 'B';
      at_ = At::text;
    } else if (at_ == At::text) {
      if (c == kShiftOut || c == kShiftIn) shifted_ = c == kShiftOut;
    } else {
      if (c >= '@' && c <= '~') {
        see_sequence(c);
        at_ = At::text;
      } else if (sequence_.size() == kSequenceMax) {
        at_ = At::text;
      } else {
        sequence_ += c;
      }
    }
  }
}

void TerminalModes::see_sequence(char last) {
  std::string_view rest = sequence_;
  if (last == 'm' && !rest.starts_with('>')) colored_ = !(rest.empty() || rest == "0");
  if (last == 'm' && rest.starts_with(">4")) keys_ = rest.starts_with(">4;") && rest != ">4;0";
  if (last == 'r' && !rest.starts_with('?')) margins_ = !rest.empty();
  if (last == 'q' && rest.ends_with(' ')) shape_ = rest != " " && rest != "0 ";
  if (last == 'u') see_keyboard(rest);
  if ((last == 'h' || last == 'l') && rest == "4") inserting_ = last == 'h';
  if ((last != 'h' && last != 'l') || !rest.starts_with('?')) return;
  for (rest.remove_prefix(1); !rest.empty();) {
    int mode = 0;
    const auto [end, bad] = std::from_chars(rest.data(), rest.data() + rest.size(), mode);
    if (bad != std::errc{}) return;
    const bool on = last == 'h';
    if (on == is_usually_on(mode)) {
      modes_.erase(mode);
    } else {
      modes_[mode] = on;
    }
    rest.remove_prefix(static_cast<size_t>(end - rest.data()));
    if (rest.starts_with(';')) rest.remove_prefix(1);
  }
}

// Keyboard modes of the kitty protocol: CSI > n u pushes a mode on a stack, CSI < n u pops n modes,
// CSI = n u changes the top one.
void TerminalModes::see_keyboard(std::string_view rest) {
  if (rest.empty()) return;  // CSI u restores the cursor.
  const char what = rest.front();
  rest.remove_prefix(1);
  int number = what == '<' ? 1 : 0;
  std::from_chars(rest.data(), rest.data() + rest.size(), number);
  if (what == '>') keyboards_ = std::min(keyboards_ + 1, kKeyboardsMax);
  if (what == '<') keyboards_ -= std::clamp(number, 1, std::max(1, keyboards_));
  keyboards_ = std::max(keyboards_, 0);
  if (what == '=') keyboard_ = number != 0;
}

bool TerminalModes::on_other_screen() const {
  return modes_.contains(1049) || modes_.contains(1047) || modes_.contains(47);
}

std::string TerminalModes::undo() const {
  std::string out;
  if (colored_) out += "\x1b[0m";
  // Resetting the margins moves the cursor.
  if (margins_)
    out +=
        "\x1b"
        "7\x1b[r\x1b"
        "8";
  if (keys_) out += "\x1b[>4m";
  if (keypad_) out += "\x1b>";
  if (keyboard_) out += "\x1b[=0u";
  for (int i = 0; i < keyboards_; ++i) out += "\x1b[<u";
  if (inserting_) out += "\x1b[4l";
  if (drawing_) out += "\x1b(B";
  if (shifted_) out += '\x0f';
  if (shape_) out += "\x1b[0 q";
  for (const auto& [mode, on] : modes_) {
    out.append("\x1b[?").append(std::to_string(mode)).append(on ? "l" : "h");
  }
  return out;
}

}  // namespace drover::cli
