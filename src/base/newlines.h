// Counts newlines fast enough for the path of all output: the compiler turns the inner loop into
// vector instructions, because its sums stay small enough for single bytes. Pure.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace drover {

inline std::uint64_t count_newlines(std::string_view bytes) {
  constexpr size_t kWide = 32;
  constexpr size_t kRounds = 255;  // Then a byte of `sums` could overflow.
  std::uint64_t count = 0;
  while (bytes.size() >= kWide) {
    std::array<std::uint8_t, kWide> sums{};
    const size_t rounds = std::min(kRounds, bytes.size() / kWide);
    for (size_t round = 0; round < rounds; ++round) {
      const char* row = bytes.data() + round * kWide;
      for (size_t i = 0; i < kWide; ++i) sums[i] += row[i] == '\n' ? 1 : 0;
    }
    for (const std::uint8_t sum : sums) count += sum;
    bytes.remove_prefix(rounds * kWide);
  }
  return count + static_cast<std::uint64_t>(std::ranges::count(bytes, '\n'));
}

}  // namespace drover
