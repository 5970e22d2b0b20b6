#include "screen/grid.h"

#include <algorithm>
#include <numeric>

namespace drover::screen {

void Pen::set(VTermAttr attribute, const VTermValue& value) {
  if (attribute == VTERM_ATTR_BOLD) bold = value.boolean != 0;
  if (attribute == VTERM_ATTR_UNDERLINE) underline = static_cast<std::uint8_t>(value.number);
  if (attribute == VTERM_ATTR_ITALIC) italic = value.boolean != 0;
  if (attribute == VTERM_ATTR_BLINK) blink = value.boolean != 0;
  if (attribute == VTERM_ATTR_REVERSE) reverse = value.boolean != 0;
  if (attribute == VTERM_ATTR_STRIKE) strike = value.boolean != 0;
  if (attribute == VTERM_ATTR_FOREGROUND) fg = value.color;
  if (attribute == VTERM_ATTR_BACKGROUND) bg = value.color;
}

void Grid::Row::fill_to(int column) {
  if (cells.size() < index(column)) cells.resize(index(column), rest);
}

Grid::Grid(int rows, int columns) : columns_(columns), rows_(index(rows)), order_(index(rows)) {
  std::iota(order_.begin(), order_.end(), size_t{0});
}

const Cell& Grid::cell(int number, int column) const {
  const Row& there = row(number);
  return index(column) < there.cells.size() ? there.cells[index(column)] : there.rest;
}

int Grid::width(int row, int column) const {
  return column + 1 < columns_ && cell(row, column + 1).chars[0] == kRestOfWide ? 2 : 1;
}

bool Grid::is_blank(int number) const {
  return std::ranges::all_of(row(number).cells,
                             [](const Cell& cell) { return cell.chars[0] == 0; });
}

void Grid::put(VTermPos at, const VTermGlyphInfo& glyph, const Pen& pen) {
  if (at.row < 0 || at.row >= rows() || at.col < 0 || at.col >= columns_) return;
  Row& line = row(at.row);
  line.fill_to(std::min(columns_, at.col + std::max(1, glyph.width)));
  Cell& cell = line.cells[index(at.col)];
  size_t i = 0;
  for (; i < cell.chars.size() && glyph.chars[i] != 0; ++i) cell.chars[i] = glyph.chars[i];
  if (i > 0) cell.pen = pen;
  if (i < cell.chars.size()) cell.chars[i] = 0;
  cell.pen.is_protected = glyph.protected_cell != 0;
  for (int column = at.col + 1; column < std::min(columns_, at.col + glyph.width); ++column) {
    line.cells[index(column)].chars[0] = kRestOfWide;
  }
}

void Grid::erase(VTermRect rect, const Pen& pen, bool selective) {
  const int end = std::min(rect.end_col, columns_);
  rect.start_col = std::clamp(rect.start_col, 0, end);
  for (int number = std::max(0, rect.start_row); number < std::min(rect.end_row, rows());
       ++number) {
    Row& line = row(number);
    if (end == columns_ && !selective) {
      line.fill_to(rect.start_col);
      line.cells.resize(index(rect.start_col));
      line.rest = blank(pen);
      continue;
    }
    line.fill_to(end);
    for (int column = rect.start_col; column < end; ++column) {
      Cell& cell = line.cells[index(column)];
      if (!selective || !cell.pen.is_protected) cell = blank(pen);
    }
  }
}

void Grid::scroll(int start_row, int end_row, int by, const Pen& pen) {
  const auto begin = order_.begin() + start_row;
  const auto end = order_.begin() + end_row;
  by = std::clamp(by, start_row - end_row, end_row - start_row);
  const auto middle = by >= 0 ? begin + by : end + by;
  std::rotate(begin, middle, end);
  const int first = by >= 0 ? end_row - by : start_row;
  erase({.start_row = first, .end_row = first + std::abs(by), .start_col = 0, .end_col = columns_},
        pen, false);
}

void Grid::move(VTermRect to, VTermRect from) {
  const int count = to.end_row - to.start_row;
  const int last = std::max(to.end_row, from.end_row);
  if (last > rows() || std::max(to.end_col, from.end_col) > columns_) return;
  std::vector<Cell> moved;
  for (int i = 0; i < count; ++i) {
    // Rows that are still to be read are not overwritten.
    const int offset = to.start_row <= from.start_row ? i : count - 1 - i;
    Row& source = row(from.start_row + offset);
    source.fill_to(from.end_col);
    moved.assign(source.cells.begin() + from.start_col, source.cells.begin() + from.end_col);
    Row& target = row(to.start_row + offset);
    target.fill_to(to.end_col);
    std::ranges::copy(moved, target.cells.begin() + to.start_col);
  }
}

void Grid::resize(int rows, int columns, const Pen& pen) {
  std::vector<Row> kept;
  for (int i = 0; i < std::min(rows, this->rows()); ++i) kept.push_back(std::move(row(i)));
  kept.resize(index(rows), {.cells = {}, .rest = blank(pen)});
  rows_ = std::move(kept);
  order_.resize(index(rows));
  std::iota(order_.begin(), order_.end(), size_t{0});
  for (Row& line : rows_) {
    if (columns > columns_) {
      line.fill_to(columns_);
      line.rest = blank(pen);
    } else if (line.cells.size() > index(columns)) {
      line.cells.resize(index(columns));
    }
  }
  columns_ = columns;
}

}  // namespace drover::screen
