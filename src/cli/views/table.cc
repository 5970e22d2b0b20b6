#include "cli/views/table.h"

#include <algorithm>
#include <cstdint>

#include "base/text.h"

namespace drover::cli {
namespace {

constexpr size_t kGap = 2;
// How much of the column that gives way there should be before others are shortened, before others
// are left out, and at least: less tells nothing, and then the line is too long.
constexpr size_t kRoomy = 16;
constexpr size_t kReadable = 12;
constexpr size_t kNarrowest = 8;

bool is_between(std::uint32_t c, std::uint32_t from, std::uint32_t to) {
  return from <= c && c <= to;
}

// The character at the front of well-formed text.
struct Character {
  size_t bytes = 1;
  std::uint32_t point = 0;
};

Character character(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t first = byte(0);
  const size_t size = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (size == 1 || size > text.size()) return {1, first};
  std::uint32_t c = first & (0xFFU >> (size + 1));
  for (size_t i = 1; i < size; ++i) c = c << 6 | (byte(i) & 0x3FU);
  return {size, c};
}

// What does something to the line instead of standing in it. 8-bit terminals obey the controls from
// U+0080 on, too; the others turn the text behind them around, so that it reads as another.
bool is_control(std::uint32_t c) {
  return c < 0x20 || is_between(c, 0x7F, 0x9F) || c == 0x61C || is_between(c, 0x200E, 0x200F) ||
         is_between(c, 0x202A, 0x202E) || is_between(c, 0x2066, 0x2069);
}

// How many bytes it has and how many columns it takes.
struct Glyph {
  size_t bytes = 1;
  size_t columns = 1;
};

Glyph glyph(std::string_view text) {
  const auto [size, c] = character(text);
  if (size == 1 || is_control(c)) return {size, 1};
  const bool combining = is_between(c, 0x300, 0x36F) || is_between(c, 0x200B, 0x200D) ||
                         is_between(c, 0x20D0, 0x20FF) || is_between(c, 0xFE00, 0xFE0F);
  // East Asian wide and emoji; near enough for a table.
  const bool wide = is_between(c, 0x1100, 0x115F) || is_between(c, 0x2E80, 0xA4CF) ||
                    is_between(c, 0xAC00, 0xD7A3) || is_between(c, 0xF900, 0xFAFF) ||
                    is_between(c, 0xFE30, 0xFE6F) || is_between(c, 0xFF00, 0xFF60) ||
                    is_between(c, 0x1F300, 0x1FAFF) || is_between(c, 0x20000, 0x3FFFD);
  return {size, combining ? 0U : wide ? 2U : 1U};
}

}  // namespace

size_t columns(std::string_view text) {
  size_t total = 0;
  while (!text.empty()) {
    const Glyph g = glyph(text);
    total += g.columns;
    text.remove_prefix(g.bytes);
  }
  return total;
}

std::string cut(std::string_view text, size_t width) {
  if (columns(text) <= width) return std::string(text);
  if (width == 0) return "";
  size_t used = 0;
  size_t end = 0;
  while (end < text.size()) {
    const Glyph g = glyph(text.substr(end));
    if (used + g.columns > width - 1) break;
    used += g.columns;
    end += g.bytes;
  }
  return std::string(text.substr(0, end)) + "…";
}

std::string clean(std::string_view text) {
  const std::string whole = bounded(text, text.size() * 3);  // Only repairs: none can be longer.
  std::string out;
  for (std::string_view rest = whole; !rest.empty();) {
    const auto [bytes, c] = character(rest);
    if (!is_control(c)) {
      out += rest.substr(0, bytes);
    } else {
      out += c == '\n' || c == '\t' || c == '\r' ? ' ' : '?';
    }
    rest.remove_prefix(bytes);
  }
  return out;
}

std::vector<std::string> wrap(std::string_view text, size_t width) {
  std::vector<std::string> out(1);
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (!out.back().empty() && columns(out.back()) + 1 + columns(word) > width) out.emplace_back();
    if (!out.back().empty()) out.back() += ' ';
    out.back() += word;
  }
  return out;
}

void Table::add(std::vector<Cell> row) {
  for (Cell& cell : row) cell.text = clean(cell.text);
  rows_.push_back(std::move(row));
}

std::vector<size_t> Table::fit(size_t width) const {
  std::vector<size_t> widths;
  for (const std::string& title : titles_) widths.push_back(columns(title));
  for (const auto& row : rows_) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], columns(row[i].text));
  }
  size_t total = kGap * (widths.size() - 1);
  for (const size_t w : widths) total += w;
  size_t& flexible = widths[gives_way_];
  const size_t wanted = flexible;
  const auto is_crowded = [&](size_t least) {
    return total > width + wanted - std::min(wanted, least);
  };
  if (shortened_.width != 0 && widths[shortened_.column] > shortened_.width && is_crowded(kRoomy)) {
    total -= widths[shortened_.column] - shortened_.width;
    widths[shortened_.column] = shortened_.width;
  }
  for (const size_t column : left_out_) {
    if (!is_crowded(kReadable)) break;
    total -= widths[column] + kGap;
    widths[column] = 0;
  }
  if (total > width) flexible -= std::min(flexible - std::min(flexible, kNarrowest), total - width);
  return widths;
}

std::string Table::text(const Screen& screen, size_t width) const {
  const std::vector<size_t> widths = fit(width);
  std::string out;
  const auto put = [&](size_t i, std::string_view cell, Color color) {
    if (widths[i] == 0) return;
    std::string shown(cell);
    if (i == gives_way_) shown = cut(cell, widths[i]);
    if (i == shortened_.column && shortened_.width != 0)
      shown.resize(std::min(shown.size(), widths[i]));
    out += screen.paint(color, shown);
    if (i + 1 < widths.size()) out.append(widths[i] - columns(shown) + kGap, ' ');
  };
  for (size_t i = 0; i < titles_.size(); ++i) put(i, titles_[i], Color::dim);
  out += '\n';
  for (const auto& row : rows_) {
    for (size_t i = 0; i < row.size(); ++i) put(i, row[i].text, row[i].color);
    out += '\n';
  }
  return out;
}

}  // namespace drover::cli
