// A screen is what a terminal of some size shows, and how it is set, after a program has printed
// certain bytes: for people and programs that come later and want to see what is there. Pure.
// libvterm does the work; this is its only user.
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
  // What comes is printed for another size. As in a terminal that is resized, the margins are gone.
  void resize(const TerminalSize& size);
  // Some bytes are missing here: whatever sequence had begun is over.
  void skip();

  // Its lines, without blanks at their ends and without empty ones at its end.
  std::string text() const;
  // What makes another terminal of that size look, and take keys, like this one.
  std::string redraw();

 private:
  struct Emulator;
  std::unique_ptr<Emulator> emulator_;
};

}  // namespace drover::screen
