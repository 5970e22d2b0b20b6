#include "triggers/files/path_pattern.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/text.h"
#include "triggers/files/limits.h"

namespace drover::triggers {
namespace {

using Kind = PatternToken::Kind;
using Ranges = std::vector<std::pair<char32_t, char32_t>>;

constexpr char32_t kNotUtf8 = 0x110000;  // Plus the byte: no character has this number.

struct NamedClass {
  std::string_view name;
  Ranges ranges;
};

const std::array<NamedClass, 12>& named_classes() {
  static const std::array<NamedClass, 12> classes{{
      {"alnum", {{'0', '9'}, {'A', 'Z'}, {'a', 'z'}}},
      {"alpha", {{'A', 'Z'}, {'a', 'z'}}},
      {"blank", {{' ', ' '}, {'\t', '\t'}}},
      {"cntrl", {{0, 31}, {127, 127}}},
      {"digit", {{'0', '9'}}},
      {"graph", {{33, 126}}},
      {"lower", {{'a', 'z'}}},
      {"print", {{32, 126}}},
      {"punct", {{33, 47}, {58, 64}, {91, 96}, {123, 126}}},
      {"space", {{' ', ' '}, {9, 10}, {13, 13}}},
      {"upper", {{'A', 'Z'}}},
      {"xdigit", {{'0', '9'}, {'A', 'F'}, {'a', 'f'}}},
  }};
  return classes;
}

// A class from behind its "[" to behind its "]"; nothing if it is not closed.
class ClassParser {
 public:
  ClassParser(std::string_view text, size_t& at, PatternUnit unit)
      : text_(text), at_(at), unit_(unit) {}

  PatternFault parse(PatternToken& out) {
    out.kind = Kind::one_of;
    if (at_ < text_.size() && (text_[at_] == '!' || text_[at_] == '^')) {
      out.negated = true;
      ++at_;
    }
    std::optional<char32_t> previous;  // The begin of a range, if a "-" follows.
    for (bool first = true;; first = false) {
      if (at_ >= text_.size()) return PatternFault::open_class;
      if (text_[at_] == ']' && !first) {
        ++at_;
        return fault_;
      }
      if (text_[at_] == '[' && named(out.ranges)) {
        previous.reset();
        continue;
      }
      const bool range =
          text_[at_] == '-' && previous && at_ + 1 < text_.size() && text_[at_ + 1] != ']';
      if (range) ++at_;
      const auto unit = one();
      if (!unit) return PatternFault::open_class;
      if (range && *unit < *previous) fault_ = PatternFault::reversed_range;
      if (range && *unit >= *previous) out.ranges.emplace_back(*previous, *unit);
      if (!range) out.ranges.emplace_back(*unit, *unit);
      previous = range ? std::nullopt : unit;
    }
  }

 private:
  std::optional<char32_t> one() {
    if (text_[at_] == '\\') ++at_;
    if (at_ >= text_.size()) return std::nullopt;
    return next_unit(text_, at_, unit_);
  }
  // "[:name:]". Without ":]" the bracket is an ordinary character.
  bool named(Ranges& out) {
    if (at_ + 1 >= text_.size() || text_[at_ + 1] != ':') return false;
    const size_t begin = at_ + 2;
    const size_t close = text_.find(']', begin);
    if (close == std::string_view::npos || close == begin || text_[close - 1] != ':') return false;
    const std::string_view name = text_.substr(begin, close - 1 - begin);
    const auto* known = std::ranges::find(named_classes(), name, &NamedClass::name);
    if (known == named_classes().end()) {
      fault_ = PatternFault::unknown_class;
    } else {
      out.insert(out.end(), known->ranges.begin(), known->ranges.end());
    }
    at_ = close + 1;
    return true;
  }

  std::string_view text_;
  size_t& at_;
  PatternUnit unit_;
  PatternFault fault_ = PatternFault::none;
};

bool accepts(const PatternToken& token, char32_t unit) {
  if (token.kind == Kind::any) return true;
  if (token.kind == Kind::literal) return token.literal == unit;
  const bool inside = std::ranges::any_of(token.ranges, [unit](const auto& range) {
    return range.first <= unit && unit <= range.second;
  });
  return inside != token.negated;
}

// Only the last star is tried again: an earlier one that takes more can never help, because the
// later one could take the difference.
bool matches_name(const std::vector<PatternToken>& tokens, std::string_view name,
                  PatternUnit unit) {
  size_t at = 0;
  size_t token = 0;
  std::optional<size_t> star;  // The token behind the last star,
  size_t star_at = 0;          // and where in the name it is tried next.
  while (at < name.size()) {
    if (token < tokens.size() && tokens[token].kind == Kind::star) {
      star = ++token;
      star_at = at;
      continue;
    }
    size_t behind = at;
    const char32_t next = next_unit(name, behind, unit);
    if (token < tokens.size() && accepts(tokens[token], next)) {
      at = behind;
      ++token;
      continue;
    }
    if (!star) return false;
    next_unit(name, star_at, unit);
    at = star_at;
    token = *star;
  }
  return std::ranges::all_of(tokens.begin() + static_cast<std::ptrdiff_t>(token), tokens.end(),
                             [](const PatternToken& rest) { return rest.kind == Kind::star; });
}

bool is_any_levels(const std::vector<PatternToken>& tokens) {
  return tokens.size() >= 2 && std::ranges::all_of(tokens, [](const PatternToken& token) {
           return token.kind == Kind::star;
         });
}

bool has_glued_stars(const std::vector<PatternToken>& tokens) {
  return std::ranges::adjacent_find(tokens, [](const PatternToken& a, const PatternToken& b) {
           return a.kind == Kind::star && b.kind == Kind::star;
         }) != tokens.end();
}

}  // namespace

char32_t next_unit(std::string_view text, size_t& at, PatternUnit unit) {
  const auto first = static_cast<unsigned char>(text[at]);
  size_t length = 1;
  if (unit == PatternUnit::character)
    length = first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  const std::string_view bytes = text.substr(at, length);
  if (unit == PatternUnit::byte || first < 0x80 || bytes.size() < length || !is_utf8(bytes)) {
    ++at;
    return unit == PatternUnit::byte || first < 0x80 ? first : kNotUtf8 + first;
  }
  at += length;
  char32_t out = first & (0xFFU >> (length + 1));
  for (const char c : bytes.substr(1)) out = (out << 6U) | (static_cast<unsigned char>(c) & 0x3FU);
  return out;
}

PathPattern::PathPattern(std::string_view text, PatternUnit unit) : unit_(unit) {
  const auto note = [this](PatternFault fault) {
    if (fault_ == PatternFault::none) fault_ = fault;
    dead_ = dead_ || (fault != PatternFault::none && fault != PatternFault::reversed_range &&
                      fault != PatternFault::glued_stars);
  };
  std::vector<PatternToken> tokens;
  const auto end_part = [&] {
    if (tokens.empty()) note(PatternFault::empty_part);
    const bool any_levels = is_any_levels(tokens);
    if (!any_levels && has_glued_stars(tokens)) note(PatternFault::glued_stars);
    if (any_levels) tokens.clear();
    parts_.push_back({.any_levels = any_levels, .tokens = std::move(tokens)});
    tokens = {};
  };
  for (size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '\\' && at + 1 == text.size()) {
      note(PatternFault::open_escape);
      break;
    }
    if (c == '\\') ++at;
    if (text[at] == '/') {
      end_part();
      ++at;
    } else if (c == '*' || c == '?') {
      tokens.push_back({.kind = c == '*' ? Kind::star : Kind::any});
      ++at;
    } else if (c == '[') {
      PatternToken token;
      ++at;
      note(ClassParser(text, at, unit).parse(token));
      if (fault_ == PatternFault::open_class) break;
      tokens.push_back(std::move(token));
    } else {
      tokens.push_back({.literal = next_unit(text, at, unit)});
    }
  }
  end_part();
  if (parts_.size() > kGlobPartsMax) note(PatternFault::too_many_parts);
}

// Bit i: the first i parts match what was read so far. A `**` may match no level at all, except at
// the end: "a/**" does not match "a".
std::uint64_t PathPattern::with_empty_levels(std::uint64_t positions) const {
  for (size_t i = 0; i + 1 < parts_.size(); ++i) {
    if ((positions >> i & 1U) != 0 && parts_[i].any_levels) positions |= std::uint64_t{2} << i;
  }
  return positions;
}

std::uint64_t PathPattern::positions_after(std::string_view path) const {
  std::uint64_t positions = with_empty_levels(1);
  while (!path.empty() && positions != 0) {
    const std::string_view name = path.substr(0, path.find('/'));
    path.remove_prefix(std::min(path.size(), name.size() + 1));
    std::uint64_t next = 0;
    for (size_t i = 0; i < parts_.size(); ++i) {
      if ((positions >> i & 1U) == 0) continue;
      if (parts_[i].any_levels) {
        next |= std::uint64_t{1} << i;
        if (i + 1 == parts_.size()) next |= std::uint64_t{2} << i;
      } else if (matches_name(parts_[i].tokens, name, unit_)) {
        next |= std::uint64_t{2} << i;
      }
    }
    positions = with_empty_levels(next);
  }
  return positions;
}

bool PathPattern::matches(std::string_view path) const {
  return !dead_ && !path.empty() && (positions_after(path) >> parts_.size() & 1U) != 0;
}

bool PathPattern::may_match_below(std::string_view directory) const {
  if (dead_) return false;
  const std::uint64_t all_read = std::uint64_t{1} << parts_.size();
  return (positions_after(directory) & (all_read - 1)) != 0;
}

}  // namespace drover::triggers
