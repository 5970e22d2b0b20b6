#include "triggers/poll/page.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "access/seal.h"
#include "base/text.h"
#include "triggers/poll/html_tree.h"
#include "triggers/poll/limits.h"

namespace drover::triggers {
namespace {

static_assert(kSelectorStepsMax <= 64);

// Sets of steps of the selector, by their bits, for one element.
struct Matched {
  std::uint64_t here = 0;   // The steps that the element matches, with all before them.
  std::uint64_t above = 0;  // Those of the element and all its ancestors.
};

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

bool has_word(std::string_view words, std::string_view word) {
  constexpr std::string_view kBlanks = " \t\n\r\f";
  while (!words.empty()) {
    const size_t end = std::min(words.find_first_of(kBlanks), words.size());
    if (words.substr(0, end) == word) return true;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return false;
}

bool is_element(const GumboNode& node) {
  return node.type == GUMBO_NODE_ELEMENT || node.type == GUMBO_NODE_TEMPLATE;
}

std::string type_of(const GumboElement& element) {
  if (element.tag != GUMBO_TAG_UNKNOWN) return gumbo_normalized_tagname(element.tag);
  GumboStringPiece name = element.original_tag;  // Of the page's bytes.
  if (name.data == nullptr) return {};
  gumbo_tag_from_original_text(&name);
  return lower({name.data, name.length});
}

bool matches(const GumboElement& element, const std::string& type, const SelectorStep& step) {
  if (!step.type.empty() && step.type != type) return false;
  return std::ranges::all_of(step.attributes, [&](const AttributeTest& test) {
    const GumboAttribute* found = gumbo_get_attribute(&element.attributes, test.name.c_str());
    if (found == nullptr) return false;
    if (test.kind == AttributeTest::Kind::exists) return true;
    if (test.kind == AttributeTest::Kind::equals) return test.value == found->value;
    return has_word(found->value, test.value);
  });
}

Matched match(const GumboNode& node, const Selector& selector, const Matched& parent) {
  Matched out{.above = parent.above};
  const std::string type = type_of(node.v.element);
  for (size_t i = 0; i < selector.steps.size(); ++i) {
    const SelectorStep& step = selector.steps[i];
    const std::uint64_t before = i == 0 ? 0 : std::uint64_t{1} << (i - 1);
    if (step.after == SelectorStep::After::ancestor && (parent.above & before) == 0) continue;
    if (step.after == SelectorStep::After::parent && (parent.here & before) == 0) continue;
    if (matches(node.v.element, type, step)) out.here |= std::uint64_t{1} << i;
  }
  out.above |= out.here;
  return out;
}

// Text with its whitespace folded, as it arrives.
class Folded {
 public:
  void add(std::string_view text) {
    for (size_t i = 0; i < text.size(); ++i) {
      const bool is_nbsp = text[i] == '\xc2' && i + 1 < text.size() && text[i + 1] == '\xa0';
      if (is_nbsp) ++i;
      if (is_nbsp || std::string_view(" \t\n\r\f\v").contains(text[i])) {
        blank();
        continue;
      }
      if (separator_ != '\0' && !text_.empty()) text_ += separator_;
      separator_ = '\0';
      text_ += text[i];
    }
  }
  void blank() {
    if (separator_ == '\0') separator_ = ' ';
  }
  void line() { separator_ = '\n'; }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  char separator_ = '\0';  // Goes before the next character.
};

// Within a line of text; all other elements separate words.
bool is_inline(const GumboNode& node) {
  constexpr auto kInline = std::to_array<GumboTag>(
      {GUMBO_TAG_A,    GUMBO_TAG_ABBR,   GUMBO_TAG_B,      GUMBO_TAG_BDI,  GUMBO_TAG_BDO,
       GUMBO_TAG_BIG,  GUMBO_TAG_CITE,   GUMBO_TAG_CODE,   GUMBO_TAG_DEL,  GUMBO_TAG_DFN,
       GUMBO_TAG_EM,   GUMBO_TAG_FONT,   GUMBO_TAG_I,      GUMBO_TAG_INS,  GUMBO_TAG_KBD,
       GUMBO_TAG_MARK, GUMBO_TAG_Q,      GUMBO_TAG_S,      GUMBO_TAG_SAMP, GUMBO_TAG_SMALL,
       GUMBO_TAG_SPAN, GUMBO_TAG_STRIKE, GUMBO_TAG_STRONG, GUMBO_TAG_SUB,  GUMBO_TAG_SUP,
       GUMBO_TAG_TIME, GUMBO_TAG_TT,     GUMBO_TAG_U,      GUMBO_TAG_VAR,  GUMBO_TAG_WBR});
  return std::ranges::find(kInline, node.v.element.tag) != kInline.end();
}

// Elements whose text nobody reads.
bool is_hidden(const GumboNode& node) {
  return node.type == GUMBO_NODE_TEMPLATE || node.v.element.tag == GUMBO_TAG_SCRIPT ||
         node.v.element.tag == GUMBO_TAG_STYLE;
}

void add_text(const GumboNode& root, Folded& out) {
  std::vector<bool> blocks;  // Whether the latest node and its ancestors are blocks.
  HtmlWalk walk(root);
  while (const GumboNode* node = walk.next()) {
    for (; blocks.size() > walk.depth(); blocks.pop_back()) {
      if (blocks.back()) out.blank();
    }
    blocks.push_back(is_element(*node) && !is_inline(*node));
    if (blocks.back()) out.blank();
    if (is_element(*node)) {
      if (node != &root && is_hidden(*node)) walk.skip_children();
    } else if (node->type != GUMBO_NODE_COMMENT && node->type != GUMBO_NODE_DOCUMENT) {
      out.add(node->v.text.text);
    }
  }
}

}  // namespace

Result<PageText> select(std::string_view html, const Selector& selector) {
  const auto tree = HtmlTree::parse(html);
  if (!tree) return std::unexpected(tree.error());
  std::uint64_t last = 0;
  for (size_t i = 0; i < selector.steps.size(); ++i) {
    if (selector.steps[i].is_last) last |= std::uint64_t{1} << i;
  }
  Folded folded;
  PageText page;
  std::vector<Matched> path;  // Of the latest element and its ancestors.
  HtmlWalk walk(tree->root());
  while (const GumboNode* node = walk.next()) {
    if (!is_element(*node)) continue;
    path.resize(walk.depth());
    path.push_back(match(*node, selector, path.empty() ? Matched{} : path.back()));
    if ((path.back().here & last) == 0) continue;
    ++page.matches;
    folded.line();
    add_text(*node, folded);
    walk.skip_children();
  }
  if (page.matches == 0) {
    return fail(ErrorCode::not_found, "nothing_matched",
                "the selector matches nothing on the page; the page may have changed, or may be "
                "built by scripts, which are not run",
                "selector");
  }
  page.hash = access::sha256_hex(folded.text());
  page.text = bounded(folded.text(), kPageTextBytesMax);
  return page;
}

bool page_changed(std::string_view known_hash, const PageText& page) {
  return !known_hash.empty() && known_hash != page.hash;
}

}  // namespace drover::triggers
