// Screen is the output of a command, to a terminal or a pipe. Data goes to standard output; notices
// and the progress line go to standard error, and the progress line only to a terminal.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace drover::cli {

enum class Color : std::uint8_t { none, bold, dim, red, green, yellow, blue };
enum class ColorMode : std::uint8_t { automatic, always, never };

// What stands behind "drover: ": the first line of `text` in lines of at most `width` columns, each
// below the one before; the other lines as they are.
std::string notice_lines(std::string_view text, size_t width);

class Screen {
 public:
  // Looks at the descriptors and at NO_COLOR, CLICOLOR_FORCE, TERM, COLUMNS.
  explicit Screen(ColorMode wish);
  // As wide as told, whatever the terminal is.
  Screen(ColorMode wish, size_t width) : Screen(wish) { width_ = width; }
  ~Screen() { erase_progress(); }
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  void set_color(ColorMode wish);
  bool shows_progress() const { return progress_; }
  bool output_is_terminal() const { return out_terminal_; }
  size_t width() const { return width_; }
  void look_again();  // The window may have another size now.

  std::string paint(Color color, std::string_view text) const;  // For standard output.

  // A page, a table, a line of data. Fails when nobody reads any more.
  Result<> print(std::string_view text);
  // "drover: text", on standard error.
  void notice(std::string_view text);
  // Replaces the progress line; nothing if standard error is no terminal.
  void progress(std::string_view line);
  void erase_progress();

 private:
  bool out_terminal_;
  bool progress_;
  bool color_out_ = false;
  bool color_err_ = false;
  bool drawn_ = false;
  size_t width_;
};

}  // namespace drover::cli
