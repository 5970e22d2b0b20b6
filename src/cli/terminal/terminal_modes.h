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
  // What gives the terminal back as it was; empty if nothing has to be.
  std::string undo() const;
  bool on_other_screen() const;

 private:
  enum class At { text, escape, charset, sequence };

  void see_sequence(char last);
  void see_keyboard(std::string_view rest);

  At at_ = At::text;
  std::string sequence_;       // What stands between ESC [ and its last letter.
  std::map<int, bool> modes_;  // CSI ? n h/l: those that are not as they usually are.
  bool keypad_ = false, colored_ = false, margins_ = false, shape_ = false, keys_ = false;
  bool inserting_ = false;                  // CSI 4 h.
  bool drawing_ = false, shifted_ = false;  // Letters are lines: ESC ( 0, or SO.
  bool keyboard_ = false;                   // CSI = n u.
  int keyboards_ = 0;                       // CSI > n u, so many.
};

}  // namespace drover::cli
