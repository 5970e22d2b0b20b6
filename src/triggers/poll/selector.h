// A Selector picks the elements of a page that a trigger watches: a part of CSS.
//
//   article            type            #main          id
//   *                  any element     .price         class
//   [data-id]          has it          [lang=de]      is exactly it; quotes are allowed
//   ul li              descendant      ul > li        child
//   h1, .title         either
//
// Everything else of CSS (pseudo-classes, siblings, [a^=b], escapes) is refused with a message that
// names it. Types and attribute names are case-insensitive, as in HTML; classes, ids and values are
// not. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace drover::triggers {

struct AttributeTest {
  enum class Kind : std::uint8_t { exists, equals, has_word };  // has_word: a class.
  std::string name;                                             // Lower case.
  std::string value = {};
  Kind kind = Kind::exists;

  bool operator==(const AttributeTest&) const = default;
};

// The part between two combinators: "li.new[lang]".
struct SelectorStep {
  enum class After : std::uint8_t { nothing, ancestor, parent };  // Where the previous step is.
  After after = After::nothing;                                   // nothing: the first step.
  std::string type = {};                                          // Lower case; empty: any.
  std::vector<AttributeTest> attributes = {};
  bool is_last = false;  // An element that matches it is selected.

  bool operator==(const SelectorStep&) const = default;
};

// All alternatives of a list, one behind the other; each begins with After::nothing and ends with
// is_last. At most kSelectorStepsMax steps.
struct Selector {
  std::vector<SelectorStep> steps;
};

// The error's param is `selector`.
Result<Selector> parse_selector(std::string_view text);

}  // namespace drover::triggers
