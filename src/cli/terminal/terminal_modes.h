// TerminalModes tracks the modes that a run's program has switched on in our terminal by its
// output: the alternate screen, the mouse, a hidden cursor. When we leave the run, or it finishes,
// `undo` switches them off. Pure; it only reads the output.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace drover::cli {

class TerminalModes {
 public:
  void see(std::string_view bytes);
  // The sequences that restore the terminal; empty if nothing changed.
  std::string undo() const;
  bool on_other_screen() const;

 private:
  enum class At { text, escape, charset, sequence };

  void see_sequence(char last);
  void see_keyboard(std::string_view rest);

  At at_ = At::text;
  std::string sequence_;       // The bytes between ESC [ and its last letter.
  std::map<int, bool> modes_;  // CSI ? n h/l: the modes that differ from the default.
  bool keypad_ = false, colored_ = false, margins_ = false, shape_ = false, keys_ = false;
  bool inserting_ = false;                  // CSI 4 h.
  bool drawing_ = false, shifted_ = false;  // Letters draw lines: ESC ( 0, or SO.
  bool keyboard_ = false;                   // CSI = n u.
  int keyboards_ = 0;                       // How many CSI > n u are on the stack.
};

}  // namespace drover::cli
