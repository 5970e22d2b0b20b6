#include "run/trace.h"

#include <algorithm>

namespace drover::run {
namespace {

constexpr size_t kSize = 2 + 1 + 32 + 1 + 16 + 1 + 2;

bool is_hex(std::string_view text) {
  return std::ranges::all_of(
      text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

bool is_zero(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c == '0'; });
}

}  // namespace

std::optional<std::string> trace_named_by(std::string_view text) {
  if (text.size() < kSize) return std::nullopt;
  const std::string_view version = text.substr(0, 2);
  const std::string_view trace = text.substr(3, 32);
  const std::string_view span = text.substr(36, 16);
  const std::string_view flags = text.substr(53, 2);
  if (text[2] != '-' || text[35] != '-' || text[52] != '-') return std::nullopt;
  if (!is_hex(version) || !is_hex(trace) || !is_hex(span) || !is_hex(flags)) return std::nullopt;
  if (version == "ff" || is_zero(trace) || is_zero(span)) return std::nullopt;
  // A later version may append further fields.
  if (text.size() > kSize && (version == "00" || text[kSize] != '-')) return std::nullopt;
  return std::string(trace);
}

}  // namespace drover::run
