#include "screen/style.h"

namespace drover::screen {

Style::Style(const VTermScreenCell& cell) {
  const VTermScreenCellAttrs& set = cell.attrs;
  if (set.bold != 0) codes_ += ";1";
  if (set.italic != 0) codes_ += ";3";
  if (set.underline != 0) codes_ += ";4";
  if (set.blink != 0) codes_ += ";5";
  if (set.reverse != 0) codes_ += ";7";
  if (set.strike != 0) codes_ += ";9";
  if (!VTERM_COLOR_IS_DEFAULT_FG(&cell.fg)) add_color(cell.fg, 38);
  const bool has_background = !VTERM_COLOR_IS_DEFAULT_BG(&cell.bg);
  if (has_background) add_color(cell.bg, 48);
  shows_blank_ = has_background || set.reverse != 0 || set.underline != 0 || set.strike != 0;
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
