#include "base/size.h"

#include <charconv>

namespace drover {
namespace {

constexpr std::string_view kUnits = "KMGT";

}  // namespace

Result<std::uint64_t> parse_size(std::string_view text, std::string_view param) {
  const auto bad = [&] {
    return fail_invalid(std::string(param), std::string(param) +
                                                " is a whole number of bytes, or one with K, M, G "
                                                "or T, such as 512M");
  };
  std::uint64_t bytes = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
  if (error != std::errc()) return bad();
  std::string_view unit = text.substr(static_cast<size_t>(end - text.data()));
  if (unit.empty()) return bytes;
  const size_t power = kUnits.find(unit.front());
  unit.remove_prefix(1);
  if (power == std::string_view::npos || (!unit.empty() && unit != "iB")) return bad();
  const auto shift = static_cast<unsigned>(10 * (power + 1));
  if (bytes << shift >> shift != bytes) return bad();
  return bytes << shift;
}

std::string format_size(std::uint64_t bytes) {
  size_t power = 0;
  while (power < kUnits.size() && bytes != 0 && bytes % 1024 == 0) {
    bytes /= 1024;
    ++power;
  }
  return std::to_string(bytes) + (power == 0 ? "" : std::string(1, kUnits[power - 1]));
}

}  // namespace drover
