// Decimal numbers as people type them: "90", "1.5". Durations and sizes are made of these.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace drover {

struct Decimal {
  std::uint64_t whole = 0;
  std::uint64_t fraction = 0;  // Digits after the point: 5 of "1.5".
  std::uint64_t scale = 1;     // 10 for one such digit, 100 for two.

  // This number of `unit`s, rounded down. Nothing if 64 bits cannot store the product.
  std::optional<std::uint64_t> times(std::uint64_t unit) const {
    constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
    const std::uint64_t part = fraction * unit / scale;
    if (unit != 0 && whole > (kMost - part) / unit) return std::nullopt;
    return whole * unit + part;
  }
  bool is_whole_in(std::uint64_t unit) const { return fraction * unit % scale == 0; }
};

// Six digits after the point: times a terabyte that still fits into 64 bits.
inline constexpr std::uint64_t kDecimalScaleMax = 1'000'000;

// Takes the number that `text` begins with. Nothing if `text` does not begin with a digit, if the
// point has no digit after it, or if there are more than six. A number that is too large for 64
// bits becomes the largest one, which no unit can multiply.
inline std::optional<Decimal> take_decimal(std::string_view& text) {
  const auto is_digit = [&](size_t at) {
    return at < text.size() && text[at] >= '0' && text[at] <= '9';
  };
  if (!is_digit(0)) return std::nullopt;
  Decimal out;
  size_t at = 0;
  for (; is_digit(at); ++at) {
    constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
    const auto digit = static_cast<std::uint64_t>(text[at] - '0');
    out.whole = out.whole > (kMost - digit) / 10 ? kMost : out.whole * 10 + digit;
  }
  if (at < text.size() && text[at] == '.') {
    if (!is_digit(++at)) return std::nullopt;
    for (; is_digit(at); ++at) {
      if (out.scale == kDecimalScaleMax) return std::nullopt;
      out.fraction = out.fraction * 10 + static_cast<std::uint64_t>(text[at] - '0');
      out.scale *= 10;
    }
  }
  text.remove_prefix(at);
  return out;
}

}  // namespace drover
