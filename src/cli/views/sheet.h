// A Sheet is a page of titled lines. Each text is wrapped below itself, so that no line is wider
// than the terminal. Pure.
#pragma once

#include <string>
#include <string_view>

#include "cli/terminal/screen.h"

namespace drover::cli {

// Wraps `text` to `width` columns, each line after `indent` spaces.
std::string indented(std::string_view text, size_t indent, size_t width, Color color,
                     const Screen& screen);

// "  · text", wrapped below itself.
std::string bullet(const Screen& screen, Color mark, std::string_view text);

class Sheet {
 public:
  // Titles start after `lead` spaces, texts at column `indent`.
  Sheet(const Screen& screen, size_t lead, size_t indent)
      : screen_(screen), lead_(lead), indent_(indent) {}

  void head(std::string_view text);
  // Adds nothing if `text` is empty.
  void line(std::string_view title, std::string_view text, Color color = Color::none);
  std::string take() { return std::move(out_); }

 private:
  const Screen& screen_;
  size_t lead_;
  size_t indent_;
  std::string out_;
};

}  // namespace drover::cli
