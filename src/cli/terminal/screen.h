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

// The text after "drover: ": the first line of `text` wrapped to `width` columns, aligned; the
// other lines unchanged.
std::string notice_lines(std::string_view text, size_t width);

class Screen {
 public:
  // Reads the descriptors and NO_COLOR, CLICOLOR_FORCE, TERM, COLUMNS.
  explicit Screen(ColorMode mode);
  // With a fixed width.
  Screen(ColorMode mode, size_t width) : Screen(mode) { width_ = width; }
  ~Screen() { erase_progress(); }
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  void set_color(ColorMode mode);
  bool shows_progress() const { return progress_; }
  bool output_is_terminal() const { return out_terminal_; }
  size_t width() const { return width_; }
  // The width for sentences, which are hard to read in long lines: from 40 to 100 columns, and 80
  // in a pipe.
  size_t text_width() const;
  void look_again();  // Reads the size of the window again.

  std::string paint(Color color, std::string_view text) const;  // For standard output.

  // Prints a page, a table or a line of data. Fails if the reader has closed our output.
  Result<> print(std::string_view text);
  // "drover: text", on standard error.
  void notice(std::string_view text);
  // Replaces the progress line. Does nothing if standard error is not a terminal.
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
