// FNV-1a, of 64 bits: tells apart what differs by accident, such as a damaged record from a whole
// one, or a repeated request from another. Whoever wants two things to look alike can do that, so
// nothing that must be kept from anybody depends on it. What is on disk does: it stays as it is.
#pragma once

#include <cstdint>
#include <string_view>

namespace drover {

inline constexpr std::uint64_t kFnvBegin = 14695981039346656037ULL;

// With one piece more: a byte, by the book, or whatever else fits.
constexpr std::uint64_t fnv_add(std::uint64_t hash, std::uint64_t piece) {
  return (hash ^ piece) * 1099511628211ULL;
}

constexpr std::uint64_t fnv(std::string_view bytes, std::uint64_t begin = kFnvBegin) {
  for (const char c : bytes) begin = fnv_add(begin, static_cast<unsigned char>(c));
  return begin;
}

}  // namespace drover
