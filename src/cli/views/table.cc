#include "cli/views/table.h"

#include <algorithm>

namespace drover::cli {
namespace {

constexpr size_t kGap = 2;
// The width of the flexible column below which other columns are shortened or cut, and then the
// widest of the others, too.
constexpr size_t kRoomy = 16;
constexpr size_t kNarrowest = 8;

}  // namespace

void Table::add(std::vector<Cell> row) {
  for (Cell& cell : row) cell.text = clean(cell.text);
  rows_.push_back(std::move(row));
}

std::vector<size_t> Table::natural_widths() const {
  std::vector<size_t> widths;
  for (const std::string& title : titles_) widths.push_back(columns(title));
  for (const auto& row : rows_) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], columns(row[i].text));
  }
  return widths;
}

std::vector<size_t> Table::fit(size_t width) const {
  std::vector<size_t> widths = natural_widths();
  size_t total = kGap * (widths.size() - 1);
  for (const size_t w : widths) total += w;
  size_t& flexible = widths[gives_way_];
  const size_t wanted = flexible;
  const auto is_crowded = [&](size_t least) {
    return total > width + wanted - std::min(wanted, least);
  };
  if (shortened_.width != 0 && widths[shortened_.column] > shortened_.width &&
      is_crowded(std::max(kRoomy, readable_))) {
    total -= widths[shortened_.column] - shortened_.width;
    widths[shortened_.column] = shortened_.width;
  }
  for (const auto& [column, least] : cut_) {
    for (; widths[column] > least && is_crowded(kRoomy); --total) --widths[column];
  }
  const std::vector<size_t> before = widths;
  for (const size_t column : left_out_) {
    if (!is_crowded(readable_)) break;
    total -= widths[column] + kGap;
    widths[column] = 0;
  }
  // Leaving out a wide column may have made room for a narrow one that was left out before it.
  for (auto column = left_out_.rbegin(); column != left_out_.rend(); ++column) {
    if (widths[*column] != 0) continue;
    total += before[*column] + kGap;
    widths[*column] = before[*column];
    if (!is_crowded(readable_)) continue;
    total -= before[*column] + kGap;
    widths[*column] = 0;
  }
  if (total > width) {
    const size_t less = std::min(flexible - std::min(flexible, kNarrowest), total - width);
    flexible -= less;
    total -= less;
  }
  // Then narrow the widest of the other columns. Ids and names go last: cut, they identify nothing.
  for (const bool ids : {false, true}) {
    for (; total > width; --total) {
      size_t* widest = nullptr;
      for (size_t i = 0; i < widths.size(); ++i) {
        if (!ids && i == shortened_.column) continue;  // By default the first column.
        if (widest == nullptr || widths[i] > *widest) widest = &widths[i];
      }
      if (widest == nullptr || *widest <= (ids ? 1 : kNarrowest / 2)) break;
      --*widest;
    }
  }
  return widths;
}

std::string Table::text(const Screen& screen, size_t width) const {
  const std::vector<size_t> widths = fit(width);
  std::string out;
  size_t used = 0;  // Columns of this line.
  const auto put = [&](size_t i, std::string_view cell, Color color) {
    if (widths[i] == 0) return;
    const size_t gap = used == 0 ? 0 : kGap;
    if (used + gap >= width) return;  // The remaining columns do not fit.
    std::string shown(cell);
    if (i == shortened_.column && shortened_.width != 0) {
      shown.resize(std::min(shown.size(), std::max(widths[i], shortened_.width)));
    }
    shown = cut(shown, std::min(widths[i], width - used - gap));
    out.append(gap, ' ');
    out += screen.paint(color, shown);
    // Pad to the next title; the last column needs no padding.
    used += gap + columns(shown);
    for (size_t next = i + 1; next < widths.size(); ++next) {
      if (widths[next] == 0) continue;
      const size_t rest = std::min(widths[i] - columns(shown), width - used);
      out.append(rest, ' ');
      used += rest;
      break;
    }
  };
  const auto end_line = [&] {
    out.erase(out.find_last_not_of(' ') + 1);
    out += '\n';
    used = 0;
  };
  for (size_t i = 0; i < titles_.size(); ++i) put(i, titles_[i], Color::dim);
  end_line();
  for (const auto& row : rows_) {
    for (size_t i = 0; i < row.size(); ++i) put(i, row[i].text, row[i].color);
    end_line();
  }
  return out;
}

}  // namespace drover::cli
