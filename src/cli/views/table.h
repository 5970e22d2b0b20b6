// A Table aligns rows in columns that are as wide as their contents. If the terminal is narrower,
// one flexible column is cut; before that becomes unreadable, other columns are shortened, cut or
// left out. No line is ever wider than the terminal. Pure: text in, text out.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/terminal/screen.h"
#include "cli/views/columns.h"

namespace drover::cli {

struct Cell {
  std::string text;
  Color color = Color::none;
};

class Table {
 public:
  // `gives_way` is the flexible column, which is cut first.
  Table(std::vector<std::string> titles, size_t gives_way)
      : titles_(std::move(titles)), gives_way_(gives_way) {}

  // On a narrow screen, show only the first `width` characters of this column.
  void may_shorten(size_t column, size_t width) { shortened_ = {column, width}; }
  // On a narrow screen, cut this column, but to no less than `width`.
  void may_cut(size_t column, size_t width) { cut_.push_back({column, width}); }
  // On a narrow screen, leave this column out; columns are left out in the order of these calls.
  void may_leave_out(size_t column) { left_out_.push_back(column); }

  // The width of the flexible column below which other columns are left out.
  void keep_readable(size_t width) { readable_ = width; }

  void add(std::vector<Cell> row);
  bool empty() const { return rows_.empty(); }
  std::string text(const Screen& screen) const { return text(screen, screen.width()); }
  std::string text(const Screen& screen, size_t width) const;

 private:
  std::vector<std::string> titles_;
  struct Short {
    size_t column = 0;
    size_t width = 0;  // 0: no column.
  };
  std::vector<size_t> natural_widths() const;
  std::vector<size_t> fit(size_t width) const;  // 0: the column is left out.

  std::vector<std::vector<Cell>> rows_;
  size_t gives_way_;
  size_t readable_ = 12;
  Short shortened_;
  std::vector<Short> cut_;
  std::vector<size_t> left_out_;
};

}  // namespace drover::cli
