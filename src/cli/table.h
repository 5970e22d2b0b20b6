// A Table lays out rows in columns as wide as they need to be; one column gives way when the
// terminal is narrower. Pure: text in, text out.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cli/screen.h"

namespace drover::cli {

// How many columns of a terminal the text takes. Control characters count as the '?' that `clean`
// makes of them.
size_t columns(std::string_view text);

// At most `width` columns, ending in "…" if anything was cut.
std::string cut(std::string_view text, size_t width);

// One line that cannot move the cursor: control characters and broken UTF-8 are replaced.
std::string clean(std::string_view text);

struct Cell {
  std::string text;
  Color color = Color::none;
};

class Table {
 public:
  // `gives_way` is the column that is cut when the lines would be wider than the screen.
  Table(std::vector<std::string> titles, size_t gives_way)
      : titles_(std::move(titles)), gives_way_(gives_way) {}

  void add(std::vector<Cell> row);
  bool empty() const { return rows_.empty(); }
  std::string text(const Screen& screen) const { return text(screen, screen.width()); }
  std::string text(const Screen& screen, size_t width) const;

 private:
  std::vector<std::string> titles_;
  std::vector<std::vector<Cell>> rows_;
  size_t gives_way_;
};

}  // namespace drover::cli
