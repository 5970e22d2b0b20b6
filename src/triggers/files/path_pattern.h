// A PathPattern is a parsed wildcard pattern for relative paths: a list of parts, one for each
// directory level, of literal characters, `?`, `*`, character classes, or `**` for any number of
// levels. Globs (glob.h) and ignore rules (ignore.h) are made of them; they differ in what they
// refuse and in what a character is.
//
// Pure. A match takes at most (length of the path) x (length of the pattern) steps for any pattern:
// inside a part only the last `*` is tried again, and levels are matched as a set of positions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace drover::triggers {

// The unit that `?` and a class match: a byte, as in git, or a character of UTF-8. A byte that is
// not part of valid UTF-8 counts as a character of its own.
enum class PatternUnit : std::uint8_t { byte, character };

struct PatternToken {
  enum class Kind : std::uint8_t { literal, any, star, one_of };
  Kind kind = Kind::literal;
  char32_t literal = 0;
  bool negated = false;
  std::vector<std::pair<char32_t, char32_t>> ranges = {};  // Of a class; both ends included.
};

struct PatternPart {
  bool any_levels = false;  // `**`
  std::vector<PatternToken> tokens = {};
};

enum class PatternFault : std::uint8_t {
  none,
  open_class,      // "[" without "]"
  unknown_class,   // "[[:word:]]"
  reversed_range,  // "[z-a]"
  open_escape,     // A backslash at the end.
  glued_stars,     // "a**": two stars that are not a whole part.
  empty_part,      // "a//b"
  too_many_parts,
};

class PathPattern {
 public:
  // Parses `text`; `fault()` names the first thing in it that cannot mean anything. Callers decide
  // which faults they refuse. A pattern with open_class, unknown_class or open_escape matches
  // nothing, as in git.
  PathPattern(std::string_view text, PatternUnit unit);

  PatternFault fault() const { return fault_; }
  const std::vector<PatternPart>& parts() const { return parts_; }

  // `path` is relative, without "." and "..", and without a slash at its end.
  bool matches(std::string_view path) const;
  // Whether a path below the directory `directory` may match; "" is the root.
  bool may_match_below(std::string_view directory) const;

 private:
  std::uint64_t positions_after(std::string_view path) const;
  std::uint64_t with_empty_levels(std::uint64_t positions) const;

  PatternUnit unit_;
  PatternFault fault_ = PatternFault::none;
  bool dead_ = false;  // Matches nothing.
  std::vector<PatternPart> parts_;
};

// The next unit of `text` at `at`, which moves behind it.
char32_t next_unit(std::string_view text, size_t& at, PatternUnit unit);

}  // namespace drover::triggers
