#include "api/stream/byte_range.h"

#include <algorithm>
#include <charconv>

namespace drover::api {
namespace {

// Parses a whole number; empty if `text` is anything else.
std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [at, bad] = std::from_chars(text.data(), end, value);
  if (text.empty() || bad != std::errc{} || at != end) return std::nullopt;
  return value;
}

}  // namespace

Result<std::optional<ByteRange>> byte_range(std::string_view header, std::uint64_t size) {
  constexpr std::string_view kUnit = "bytes=";
  if (!header.starts_with(kUnit)) return std::nullopt;
  const std::string_view range = header.substr(kUnit.size());
  const size_t dash = range.find('-');
  if (dash == std::string_view::npos || range.find(',') != std::string_view::npos) {
    return std::nullopt;
  }
  const auto from = number(range.substr(0, dash));
  const auto to = number(range.substr(dash + 1));
  const bool whole_words = (from || dash == 0) && (to || dash + 1 == range.size());
  if (!whole_words || (!from && !to) || (from && to && *from > *to)) return std::nullopt;
  if (from ? *from >= size : *to == 0 || size == 0) {
    return fail(ErrorCode::invalid, "range_not_satisfiable",
                "the range is outside the log, which has " + std::to_string(size) + " bytes",
                "Range");
  }
  if (!from) return ByteRange{.first = size - std::min(*to, size), .last = size - 1};
  return ByteRange{.first = *from, .last = std::min(to.value_or(size - 1), size - 1)};
}

}  // namespace drover::api
