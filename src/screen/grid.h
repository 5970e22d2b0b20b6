// A Grid is the cells of a terminal, as libvterm's parser fills them. libvterm's own screen moves
// every cell for every line that scrolls by, which takes seconds for a large terminal and a long
// output; here a scroll moves rows, and a blank row has no cells. Otherwise it behaves the same
// (grid_test.cc compares the two). Pure.
#pragma once

#include <vterm.h>

#include <array>
#include <cstdint>
#include <vector>

namespace drover::screen {

// How a letter looks.
struct Pen {
  VTermColor fg = {}, bg = {};
  std::uint8_t underline = 0;
  bool bold = false, italic = false, blink = false, reverse = false, strike = false;
  bool is_protected = false;

  void set(VTermAttr attribute, const VTermValue& value);
};

struct Cell {
  // Ends with 0, unless it is full. Empty: no letter.
  std::array<std::uint32_t, VTERM_MAX_CHARS_PER_CELL> chars = {};
  Pen pen = {};
};
inline constexpr auto kRestOfWide = static_cast<std::uint32_t>(-1);  // In the cell behind one.

class Grid {
 public:
  Grid(int rows, int columns);

  int rows() const { return static_cast<int>(order_.size()); }
  int columns() const { return columns_; }
  const Cell& cell(int row, int column) const;
  int width(int row, int column) const;  // Of its letter, in cells.
  // The columns behind it all look like it.
  int used(int number) const { return static_cast<int>(row(number).cells.size()); }

  void put(VTermPos at, const VTermGlyphInfo& glyph, const Pen& pen);
  void erase(VTermRect rect, const Pen& pen, bool selective);
  // Moves whole rows up, or down if `by` is negative. The new rows are blank.
  void scroll(int start_row, int end_row, int by, const Pen& pen);
  void move(VTermRect to, VTermRect from);
  // Drops rows at the bottom, adds blank ones there.
  void resize(int rows, int columns, const Pen& pen);
  bool is_blank(int row) const;

 private:
  struct Row {
    std::vector<Cell> cells = {};  // Those behind them are like `rest`.
    Cell rest = {};

    void fill_to(int column);
  };
  Row& row(int number) { return rows_[order_[index(number)]]; }
  const Row& row(int number) const { return rows_[order_[index(number)]]; }
  static Cell blank(const Pen& pen) { return {.chars = {}, .pen = pen}; }
  static size_t index(int number) { return static_cast<size_t>(number); }

  int columns_;
  std::vector<Row> rows_;
  std::vector<size_t> order_;  // Of the rows, from the top: a scroll moves only these numbers.
};

}  // namespace drover::screen
