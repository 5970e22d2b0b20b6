#include "triggers/poll/selector.h"

#include "base/text.h"
#include "triggers/poll/limits.h"

namespace drover::triggers {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_' || (c & 0x80) != 0;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<Selector> parse() {
    Selector out;
    do {
      if (auto one = alternative(out.steps); !one) return std::unexpected(one.error());
    } while (take(','));
    return out;
  }

 private:
  std::unexpected<Error> bad(const std::string& problem) const {
    return fail_invalid("selector", "invalid selector \"" + bounded(text_, 80) + "\" at byte " +
                                        std::to_string(at_ + 1) + ": " + problem);
  }

  bool at_end() const { return at_ == text_.size(); }
  char next() const { return at_end() ? '\0' : text_[at_]; }
  bool take(char c) {
    if (next() != c || at_end()) return false;
    ++at_;
    return true;
  }
  bool skip_blanks() {
    const size_t begin = at_;
    while (!at_end() && is_blank(next())) ++at_;
    return at_ > begin;
  }
  std::string_view name() {
    const size_t begin = at_;
    while (!at_end() && is_name(next())) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  // Up to the end or the comma.
  Result<> alternative(std::vector<SelectorStep>& steps) {
    skip_blanks();
    auto after = SelectorStep::After::nothing;
    while (true) {
      auto step = compound();
      if (!step) return std::unexpected(step.error());
      if (steps.size() == kSelectorStepsMax) {
        return bad("it has more than " + std::to_string(kSelectorStepsMax) + " parts");
      }
      step->after = after;
      steps.push_back(std::move(*step));
      const bool blank = skip_blanks();
      if (at_end() || next() == ',') break;
      if (next() == '+' || next() == '~') {
        return bad("siblings (+ and ~) are not supported; use a descendant or a child (>)");
      }
      after = SelectorStep::After::ancestor;
      if (take('>')) {
        after = SelectorStep::After::parent;
        skip_blanks();
      } else if (!blank) {
        return bad(std::string("unexpected \"") + bounded(text_.substr(at_, 1), 8) + "\"");
      }
    }
    steps.back().is_last = true;
    return {};
  }

  Result<SelectorStep> compound() {
    SelectorStep step;
    const size_t begin = at_;
    if (!take('*')) step.type = lower(name());
    while (true) {
      if (take('#')) {
        const std::string_view id = name();
        if (id.empty()) return bad("an id must follow #");
        step.attributes.push_back({"id", std::string(id), AttributeTest::Kind::equals});
      } else if (take('.')) {
        const std::string_view word = name();
        if (word.empty()) return bad("a class must follow \".\"");
        step.attributes.push_back({"class", std::string(word), AttributeTest::Kind::has_word});
      } else if (take('[')) {
        auto test = attribute();
        if (!test) return std::unexpected(test.error());
        step.attributes.push_back(std::move(*test));
      } else {
        break;
      }
    }
    if (next() == ':') {
      return bad(
          "pseudo-classes and pseudo-elements (:) are not supported; select by type, #id, "
          ".class or [attribute]");
    }
    if (next() == '\\') return bad("escapes (\\) are not supported; use [id=\"…\"] instead");
    if (next() == '|') return bad("namespaces (|) are not supported");
    if (at_ == begin) {
      if (at_end()) return bad("an element, such as article, #id or .class, is missing at the end");
      return bad("expected an element, such as article, #id or .class");
    }
    return step;
  }

  Result<AttributeTest> attribute() {
    skip_blanks();
    AttributeTest out{.name = lower(name())};
    if (out.name.empty()) return bad("the name of an attribute must follow [");
    skip_blanks();
    if (take(']')) return out;
    if (!take('=')) {
      return bad(
          "expected ] or = after the attribute's name; ~=, |=, ^=, $= and *= are not "
          "supported");
    }
    skip_blanks();
    out.kind = AttributeTest::Kind::equals;
    if (next() == '"' || next() == '\'') {
      const char quote = text_[at_++];
      const size_t end = text_.find(quote, at_);
      if (end == std::string_view::npos) return bad("the quote is not closed");
      out.value = text_.substr(at_, end - at_);
      if (out.value.contains('\\')) return bad("escapes (\\) are not supported");
      at_ = end + 1;
    } else {
      out.value = name();
      if (out.value.empty()) return bad("a value must follow =; put it in quotes");
    }
    skip_blanks();
    if (!take(']')) return bad("expected ]; put values with special characters in quotes");
    return out;
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

Result<Selector> parse_selector(std::string_view text) {
  if (text.size() > kSelectorBytesMax) {
    return fail_invalid("selector", "the selector has " + std::to_string(text.size()) +
                                        " bytes; the maximum is " +
                                        std::to_string(kSelectorBytesMax));
  }
  if (!is_utf8(text)) return fail_invalid("selector", "the selector is not valid UTF-8");
  return Parser(text).parse();
}

}  // namespace drover::triggers
