// A Screen is the contents and the modes of a terminal of a given size after a program has printed
// certain bytes: for people and programs that attach later. Pure. An Emulator (screen/emulator.h)
// does the work.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/journal.h"

namespace drover::screen {

class Screen {
 public:
  explicit Screen(const TerminalSize& size);
  ~Screen();
  Screen(Screen&&) noexcept;

  void see(std::string_view bytes);
  // The bytes that follow are for another size. As in a real terminal, this resets the margins.
  void resize(const TerminalSize& size);
  // Some bytes are missing here: drops an incomplete escape sequence, and begins another line. A
  // program on the whole screen moves the cursor itself.
  void skip();

  // Its lines, without trailing blanks and without trailing empty lines.
  std::string text() const;
  // The bytes that make another terminal of that size look, and handle keys, like this one.
  std::string redraw();

 private:
  struct Terminal;
  std::unique_ptr<Terminal> terminal_;
};

}  // namespace drover::screen
