#include "screen/style.h"

namespace drover::screen {

Style::Style(const Pen& pen) {
  if (pen.bold) codes_ += ";1";
  if (pen.italic) codes_ += ";3";
  if (pen.underline != 0) codes_ += ";4";
  if (pen.blink) codes_ += ";5";
  if (pen.reverse) codes_ += ";7";
  if (pen.strike) codes_ += ";9";
  if (!VTERM_COLOR_IS_DEFAULT_FG(&pen.fg)) add_color(pen.fg, 38);
  const bool has_background = !VTERM_COLOR_IS_DEFAULT_BG(&pen.bg);
  if (has_background) add_color(pen.bg, 48);
  shows_blank_ = has_background || pen.reverse || pen.underline != 0 || pen.strike;
}

void Style::add_color(const VTermColor& color, int base) {
  const auto add = [&](int number) { codes_.append(";").append(std::to_string(number)); };
  constexpr int kSimple = 8;
  if (VTERM_COLOR_IS_INDEXED(&color) && color.indexed.idx < kSimple) {
    add(base - 8 + color.indexed.idx);  // 30 to 37, 40 to 47: uses the terminal's own palette.
  } else if (VTERM_COLOR_IS_INDEXED(&color)) {
    add(base);
    add(5);
    add(color.indexed.idx);
  } else {
    add(base);
    add(2);
    add(color.rgb.red);
    add(color.rgb.green);
    add(color.rgb.blue);
  }
}

}  // namespace drover::screen
