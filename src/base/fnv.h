// FNV-1a, 64 bits: a checksum that detects accidental differences, such as a damaged record, or
// another request under the same key. Collisions are easy to construct, so no security depends on
// it. Checksums are stored on disk: the algorithm must not change.
#pragma once

#include <cstdint>
#include <string_view>

namespace drover {

inline constexpr std::uint64_t kFnvBegin = 14695981039346656037ULL;

// Adds one more piece: a byte, as the definition has it, or a larger number.
constexpr std::uint64_t fnv_add(std::uint64_t hash, std::uint64_t piece) {
  return (hash ^ piece) * 1099511628211ULL;
}

constexpr std::uint64_t fnv(std::string_view bytes, std::uint64_t begin = kFnvBegin) {
  for (const char c : bytes) begin = fnv_add(begin, static_cast<unsigned char>(c));
  return begin;
}

}  // namespace drover
