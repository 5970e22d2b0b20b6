// A Style is the look of one cell of a screen: its colors and the attributes of its letter. Pure.
#pragma once

#include <string>

#include "screen/grid.h"

namespace drover::screen {

class Style {
 public:
  Style() = default;  // The initial style of a terminal.
  explicit Style(const Pen& pen);
  friend bool operator==(const Style&, const Style&) = default;

  std::string sequence() const { return "\x1b[0" + codes_ + "m"; }
  // Whether a cell without a letter looks different from an empty one.
  bool shows_blank() const { return shows_blank_; }

 private:
  void add_color(const VTermColor& color, int base);

  std::string codes_;  // ";1;38;5;9"
  bool shows_blank_ = false;
};

}  // namespace drover::screen
