// A Table lays out rows in columns as wide as they need to be. When the terminal is narrower, one
// column gives way; before nothing readable is left of it, others are shortened or left out. Pure:
// text in, text out.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cli/terminal/screen.h"

namespace drover::cli {

// How many columns of a terminal the text takes. Control characters count as the '?' that `clean`
// makes of them.
size_t columns(std::string_view text);

// At most `width` columns, ending in "…" if anything was cut.
std::string cut(std::string_view text, size_t width);

// One line that neither moves the cursor nor turns around: control characters, marks that change
// the direction of what follows them, and broken UTF-8 are replaced.
std::string clean(std::string_view text);

// Lines of at most `width` columns, parted between words; a longer word has a line of its own.
std::vector<std::string> wrap(std::string_view text, size_t width);

struct Cell {
  std::string text;
  Color color = Color::none;
};

class Table {
 public:
  // `gives_way` is the column that is cut when the lines would be wider than the screen.
  Table(std::vector<std::string> titles, size_t gives_way)
      : titles_(std::move(titles)), gives_way_(gives_way) {}

  // The first `width` characters of this column do where there is no room for all.
  void may_shorten(size_t column, size_t width) { shortened_ = {column, width}; }
  // This column does not matter as much as the one that gives way; the first one said goes first.
  void may_leave_out(size_t column) { left_out_.push_back(column); }

  void add(std::vector<Cell> row);
  bool empty() const { return rows_.empty(); }
  std::string text(const Screen& screen) const { return text(screen, screen.width()); }
  std::string text(const Screen& screen, size_t width) const;

 private:
  std::vector<std::string> titles_;
  struct Short {
    size_t column = 0;
    size_t width = 0;  // 0: none is shortened.
  };
  std::vector<size_t> fit(size_t width) const;  // 0: the column is left out.

  std::vector<std::vector<Cell>> rows_;
  size_t gives_way_;
  Short shortened_;
  std::vector<size_t> left_out_;
};

}  // namespace drover::cli
