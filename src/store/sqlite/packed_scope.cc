#include "store/sqlite/packed_scope.h"

#include <algorithm>
#include <cstdint>

#include "base/id.h"

namespace drover::store::sqlite {
namespace {

constexpr char kMarker = 1;
constexpr std::string_view kDigits = "0123456789abcdefghjkmnpqrstvwxyz";  // Of ids.
constexpr size_t kIdDigits = RunId::kSize - RunId::kPrefix.size();
constexpr unsigned kBase = 127;
constexpr size_t kPackedDigits = 19;  // 127^19 is more than the 2^128 ids.

// The number with these digits, most significant first, in another base, with `size` digits.
std::string converted(std::string digits, unsigned from, unsigned to, size_t size) {
  std::string out(size, 0);
  for (auto digit = out.rbegin(); digit != out.rend(); ++digit) {
    unsigned rest = 0;
    for (char& d : digits) {
      const unsigned value = rest * from + static_cast<unsigned char>(d);
      d = static_cast<char>(value / to);
      rest = value % to;
    }
    *digit = static_cast<char>(rest);
  }
  return out;
}

}  // namespace

std::string packed_scope(std::string_view scope) {
  std::string out(scope.substr(0, scope.find('/')));
  while (scope.size() > 0) {
    const size_t slash = scope.find('/');
    if (slash == std::string_view::npos) break;
    scope.remove_prefix(slash + 1);
    const std::string_view part = scope.substr(0, scope.find('/'));
    if (!RunId::parse(part)) {
      out.append("/").append(part);
      continue;
    }
    std::string digits(part.substr(RunId::kPrefix.size()));
    for (char& c : digits) c = static_cast<char>(kDigits.find(c));
    out += kMarker;
    for (const char digit : converted(std::move(digits), 32, kBase, kPackedDigits)) {
      out += static_cast<char>(digit + 1);
    }
  }
  return out;
}

std::optional<std::string> unpacked_scope(std::string_view packed) {
  std::string out;
  while (true) {
    const size_t marker = packed.find(kMarker);
    out += packed.substr(0, marker);
    if (marker == std::string_view::npos) return out;
    packed.remove_prefix(marker + 1);
    std::string digits(packed.substr(0, kPackedDigits));
    packed.remove_prefix(digits.size());
    const auto is_digit = [](char c) { return c >= 1 && static_cast<unsigned char>(c) <= kBase; };
    if (digits.size() < kPackedDigits || !std::ranges::all_of(digits, is_digit)) return {};
    for (char& c : digits) --c;
    const std::string number = converted(std::move(digits), kBase, 32, kIdDigits + 1);
    std::string id(RunId::kPrefix);
    for (const char digit : number.substr(1)) id += kDigits[static_cast<size_t>(digit)];
    if (number.front() != 0 || !RunId::parse(id)) return {};  // More than 128 bits.
    out.append("/").append(id);
  }
}

}  // namespace drover::store::sqlite
