#include "base/size.h"

#include <limits>
#include <optional>

#include "base/decimal.h"
#include "base/text.h"

namespace drover {
namespace {

constexpr std::string_view kUnits = "KMGT";

}  // namespace

Result<std::uint64_t> parse_size(std::string_view text, std::string_view param) {
  const auto bad = [&](const std::string& fix) {
    return fail_invalid(std::string(param), "invalid size \"" + bounded(text, 40) + "\": " + fix);
  };
  constexpr const char* kForm =
      "write a number of bytes, or a number with K, M, G or T (powers of 1024), such as 512M";
  std::string_view unit = text;
  const std::optional<Decimal> number = take_decimal(unit);
  if (!number) return bad(kForm);
  unsigned shift = 0;
  if (!unit.empty()) {
    const size_t power = kUnits.find(unit.front());
    unit.remove_prefix(1);
    const bool known = unit.empty() || unit == "B" || unit == "iB";
    if (power == std::string_view::npos || !known) return bad(kForm);
    shift = static_cast<unsigned>(10 * (power + 1));
  }
  if (shift == 0 && number->fraction != 0) return bad(kForm);
  const std::optional<std::uint64_t> bytes = number->times(1ULL << shift);
  // The largest number stands for all that did not fit.
  if (!bytes || number->whole == std::numeric_limits<std::uint64_t>::max()) {
    return bad("it is too large");
  }
  // To many users of a size 0 means "no limit".
  if (*bytes == 0 && number->fraction != 0) return bad("it is less than one byte");
  return *bytes;
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
