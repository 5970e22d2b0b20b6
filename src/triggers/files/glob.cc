#include "triggers/files/glob.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "triggers/files/limits.h"

namespace drover::triggers {
namespace {

constexpr size_t kShownBytes = 80;  // Of a glob in a message.

std::string_view explanation(PatternFault fault) {
  switch (fault) {
    case PatternFault::none:
      break;
    case PatternFault::open_class:
      return "\"[\" has no \"]\": close the class, or write \\[ for the character";
    case PatternFault::unknown_class:
      return "unknown class name: use one such as [[:alpha:]], [[:digit:]] or [[:space:]]";
    case PatternFault::reversed_range:
      return "a range runs backwards: write the lower end first, such as [a-z]";
    case PatternFault::open_escape:
      return "the backslash at the end escapes nothing: remove it, or write \\\\";
    case PatternFault::glued_stars:
      return "** must be a whole path part: write **/*.txt, or a single * within a name";
    case PatternFault::empty_part:
      return "it has an empty path part: remove the doubled slash, or the slash at the end";
    case PatternFault::too_many_parts:
      return "it has too many path parts: use ** for the middle ones";
  }
  return {};
}

// Where the class that begins at `at` ends, so that a brace inside it is an ordinary character.
size_t behind_class(std::string_view text, size_t at) {
  size_t i = at + 1;
  if (i < text.size() && (text[i] == '!' || text[i] == '^')) ++i;
  for (bool first = true; i < text.size(); ++i, first = false) {
    if (text[i] == ']' && !first) return i + 1;
    if (text[i] == '\\') ++i;
    if (text[i] == '[' && i + 1 < text.size() && text[i + 1] == ':') {
      const size_t close = text.find(":]", i + 2);
      if (close != std::string_view::npos) i = close + 1;
    }
  }
  return at + 1;  // Not closed: the parser refuses it.
}

struct Braces {
  size_t begin = 0;
  size_t behind = 0;
  std::vector<std::string_view> choices;
};

enum class Found : std::uint8_t { none, braces, unbalanced };

// The first outermost {…} of `text`.
Found first_braces(std::string_view text, Braces& out) {
  int depth = 0;
  size_t choice = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '[') {
      i = behind_class(text, i) - 1;
    } else if (text[i] == '{') {
      if (depth++ == 0) {
        out.begin = i;
        choice = i + 1;
      }
    } else if (text[i] == ',' && depth == 1) {
      out.choices.push_back(text.substr(choice, i - choice));
      choice = i + 1;
    } else if (text[i] == '}') {
      if (depth == 0) return Found::unbalanced;
      if (--depth > 0) continue;
      out.choices.push_back(text.substr(choice, i - choice));
      out.behind = i + 1;
      return Found::braces;
    }
  }
  return depth == 0 ? Found::none : Found::unbalanced;
}

enum class Expansion : std::uint8_t { complete, unbalanced, too_many };

Expansion expand(std::string_view text, std::vector<std::string>& out) {
  std::vector<std::string> open{std::string(text)};
  while (!open.empty()) {
    const std::string next = std::move(open.back());
    open.pop_back();
    Braces braces;
    const Found found = first_braces(next, braces);
    if (found == Found::unbalanced) return Expansion::unbalanced;
    if (found == Found::none) {
      out.push_back(next);
    } else {
      for (const std::string_view choice : braces.choices) {
        open.push_back(next.substr(0, braces.begin) + std::string(choice) +
                       next.substr(braces.behind));
      }
    }
    if (out.size() + open.size() > kGlobAlternativesMax) return Expansion::too_many;
  }
  return Expansion::complete;
}

bool is_literally(const PatternPart& part, std::string_view text) {
  return !part.any_levels && part.tokens.size() == text.size() &&
         std::ranges::equal(part.tokens, text, [](const PatternToken& token, char c) {
           return token.kind == PatternToken::Kind::literal &&
                  token.literal == static_cast<char32_t>(c);
         });
}

}  // namespace

Result<Glob> parse_glob(std::string_view text, std::string_view param) {
  const auto refuse = [&](std::string reason, std::string_view why) {
    return fail(ErrorCode::invalid, std::move(reason),
                "invalid glob \"" + bounded(text, kShownBytes) + "\": " + std::string(why),
                std::string(param));
  };
  if (text.empty()) {
    return refuse("invalid_glob", "it is empty: write * for every file of the root, or **");
  }
  if (text.size() > kGlobBytesMax) {
    return refuse("invalid_glob", "it is longer than " + std::to_string(kGlobBytesMax) +
                                      " bytes: split it into several globs");
  }
  if (text.find('\0') != std::string_view::npos) {
    return refuse("invalid_glob", "no file name contains a zero byte: remove it");
  }
  std::vector<std::string> expanded;
  switch (expand(text, expanded)) {
    case Expansion::complete:
      break;
    case Expansion::unbalanced:
      return refuse("invalid_glob",
                    "a brace has no partner: write {a,b}, or \\{ for the character");
    case Expansion::too_many:
      return refuse("invalid_glob", "its braces stand for more than " +
                                        std::to_string(kGlobAlternativesMax) +
                                        " globs: split it, or use *");
  }
  Glob out;
  for (const std::string& alternative : expanded) {
    PathPattern pattern(alternative, PatternUnit::character);
    if (is_literally(pattern.parts().front(), "") && pattern.parts().size() > 1) {
      return refuse("glob_escapes_root",
                    "it is absolute: give the directory as the root, and a relative glob");
    }
    for (const PatternPart& part : pattern.parts()) {
      if (is_literally(part, "..")) {
        return refuse("glob_escapes_root",
                      "\"..\" leaves the root: give the parent directory as the root");
      }
      if (is_literally(part, ".")) {
        return refuse("invalid_glob", "\".\" never is a part of a path: leave it out");
      }
    }
    if (pattern.fault() != PatternFault::none) {
      return refuse("invalid_glob", explanation(pattern.fault()));
    }
    out.alternatives_.push_back(std::move(pattern));
  }
  return out;
}

bool Glob::matches(std::string_view path) const {
  return std::ranges::any_of(alternatives_,
                             [path](const PathPattern& pattern) { return pattern.matches(path); });
}

bool Glob::may_match_below(std::string_view directory) const {
  return std::ranges::any_of(alternatives_, [directory](const PathPattern& pattern) {
    return pattern.may_match_below(directory);
  });
}

}  // namespace drover::triggers
