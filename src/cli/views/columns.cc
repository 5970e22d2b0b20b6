#include "cli/views/columns.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "base/text.h"

namespace drover::cli {
namespace {

bool is_between(std::uint32_t c, std::uint32_t from, std::uint32_t to) {
  return from <= c && c <= to;
}

// The first character of valid UTF-8.
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

// Characters that control the terminal or the text direction. 8-bit terminals also obey the
// controls from U+0080 on; direction marks can make the text after them read as another.
bool is_control(std::uint32_t c) {
  return c < 0x20 || is_between(c, 0x7F, 0x9F) || c == 0x61C || is_between(c, 0x200E, 0x200F) ||
         is_between(c, 0x202A, 0x202E) || is_between(c, 0x2066, 0x2069);
}

// The emoji and symbols below U+3000 that terminals draw two columns wide.
constexpr auto kWideSymbols = std::to_array<std::pair<std::uint32_t, std::uint32_t>>(
    {{0x231A, 0x231B}, {0x2329, 0x232A}, {0x23E9, 0x23EC}, {0x23F0, 0x23F0}, {0x23F3, 0x23F3},
     {0x25FD, 0x25FE}, {0x2614, 0x2615}, {0x2648, 0x2653}, {0x267F, 0x267F}, {0x2693, 0x2693},
     {0x26A1, 0x26A1}, {0x26AA, 0x26AB}, {0x26BD, 0x26BE}, {0x26C4, 0x26C5}, {0x26CE, 0x26CE},
     {0x26D4, 0x26D4}, {0x26EA, 0x26EA}, {0x26F2, 0x26F3}, {0x26F5, 0x26F5}, {0x26FA, 0x26FA},
     {0x26FD, 0x26FD}, {0x2705, 0x2705}, {0x270A, 0x270B}, {0x2728, 0x2728}, {0x274C, 0x274C},
     {0x274E, 0x274E}, {0x2753, 0x2755}, {0x2757, 0x2757}, {0x2795, 0x2797}, {0x27B0, 0x27B0},
     {0x27BF, 0x27BF}, {0x2B1B, 0x2B1C}, {0x2B50, 0x2B50}, {0x2B55, 0x2B55}});

bool is_wide_symbol(std::uint32_t c) {
  return std::ranges::any_of(
      kWideSymbols, [&](const auto& range) { return is_between(c, range.first, range.second); });
}

// The bytes of a character and the columns it takes.
struct Glyph {
  size_t bytes = 1;
  size_t columns = 1;
};

Glyph glyph(std::string_view text) {
  const auto [size, c] = character(text);
  if (size == 1 || is_control(c)) return {size, 1};
  const bool combining = is_between(c, 0x300, 0x36F) || is_between(c, 0x200B, 0x200D) ||
                         is_between(c, 0x20D0, 0x20FF) || is_between(c, 0xFE00, 0xFE0F);
  // East Asian wide characters and emoji; an approximation that suffices for tables.
  const bool wide = is_between(c, 0x1100, 0x115F) || is_between(c, 0x2E80, 0xA4CF) ||
                    is_between(c, 0xAC00, 0xD7A3) || is_between(c, 0xF900, 0xFAFF) ||
                    is_between(c, 0xFE30, 0xFE6F) || is_between(c, 0xFF00, 0xFF60) ||
                    is_between(c, 0xFFE0, 0xFFE6) || is_between(c, 0x1F200, 0x1F2FF) ||
                    is_between(c, 0x1F300, 0x1FAFF) || is_between(c, 0x20000, 0x3FFFD) ||
                    is_wide_symbol(c);
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

namespace {

// How many bytes at the front fit into `width` columns.
size_t bytes_within(std::string_view text, size_t width) {
  size_t used = 0;
  size_t end = 0;
  while (end < text.size()) {
    const Glyph g = glyph(text.substr(end));
    if (used + g.columns > width) break;
    used += g.columns;
    end += g.bytes;
  }
  return end;
}

}  // namespace

std::string cut(std::string_view text, size_t width) {
  if (columns(text) <= width) return std::string(text);
  if (width == 0) return "";
  return std::string(text.substr(0, bytes_within(text, width - 1))) + "…";
}

std::string clean(std::string_view text) {
  const std::string whole = bounded(text, text.size() * 3);  // Only replaces invalid bytes.
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

std::vector<std::string> fold(std::string_view text, size_t width) {
  std::vector<std::string> out(1);
  while (!text.empty()) {
    std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (!out.back().empty() && columns(out.back()) + 1 + columns(word) > width) out.emplace_back();
    while (columns(word) > width) {
      // A character wider than the line is kept whole.
      const size_t bytes = std::max(bytes_within(word, width), glyph(word).bytes);
      if (bytes == word.size()) break;
      out.back() = word.substr(0, bytes);
      out.emplace_back();
      word.remove_prefix(bytes);
    }
    if (!out.back().empty()) out.back() += ' ';
    out.back() += word;
  }
  return out;
}

}  // namespace drover::cli
