#include "triggers/poll/html_tree.h"

#include <gtest/gtest.h>

#include <string>

#include "triggers/poll/limits.h"

namespace drover::triggers {
namespace {

std::string repeated(std::string_view text, size_t times) {
  std::string out;
  const size_t mark = text.find('#');  // Stands for a number of its own.
  for (size_t i = 0; i < times; ++i) {
    out += text.substr(0, mark);
    if (mark != std::string_view::npos) out += std::to_string(i) += text.substr(mark + 1);
  }
  return out;
}

std::string reason_of(std::string_view html) {
  const auto tree = HtmlTree::parse(html);
  return tree ? "a page" : tree.error().reason;
}

// A page is walked in its order, with depths, and the walk can skip what is below a node.
TEST(HtmlTree, WalksAPage) {
  const auto tree = HtmlTree::parse("<p>a<b>b</b></p><ul><li>c</ul>d");
  ASSERT_TRUE(tree);
  std::string seen;
  HtmlWalk walk(tree->root());
  while (const GumboNode* node = walk.next()) {
    seen += std::to_string(walk.depth());
    if (node->type == GUMBO_NODE_TEXT) seen += node->v.text.text;
    if (node->type == GUMBO_NODE_ELEMENT) seen += gumbo_normalized_tagname(node->v.element.tag);
    if (seen.ends_with("ul")) walk.skip_children();
    seen += ' ';
  }
  EXPECT_EQ(seen, "0html 1head 1body 2p 3a 3b 4b 2ul 2d ");
  EXPECT_EQ(walk.next(), nullptr);
}

// 100,000 levels take gumbo 15 s; here they end at the bound, whatever nests.
TEST(HtmlTree, RefusesDeepPages) {
  for (const char* tag :
       {"<div>", "<i>", "<b a=#>", "<p><b a=#>", "<svg>", "<table><tr><td>", "<a><div>",
        "<foo><div></foo></div>", "<ul><li>", "<template>", "<i a=#><select></i></select>"}) {
    EXPECT_EQ(reason_of(repeated(tag, 60'000)), "page_too_complex") << tag;
  }
  EXPECT_EQ(reason_of(repeated("<div>", 400) + repeated("</div>", 400)), "a page");
  // Gumbo opens the 400 anew in each paragraph: the memory ends it.
  EXPECT_EQ(reason_of("<p>" + repeated("<b a=#>", 400) + repeated("<p>x", 10'000)),
            "page_too_complex");
  EXPECT_EQ(reason_of(repeated("<p>unclosed<li>items", 20'000)), "a page");
  EXPECT_EQ(reason_of(repeated("<i>", 400) + std::string(kPageBytesMax / 2, 'x')), "a page");
}

// Gumbo compares the attributes of a tag with each other, so their number is bounded.
TEST(HtmlTree, RefusesManyAttributes) {
  EXPECT_EQ(reason_of("<a " + repeated("a# ", 100'000) + ">"), "page_too_complex");
  EXPECT_EQ(reason_of("<a " + repeated("a# ", 100) + ">"), "a page");
}

// Texts of the size of a node, which could be taken for one, change nothing.
TEST(HtmlTree, IsNotConfusedByTexts) {
  std::string page;
  for (size_t size = sizeof(GumboNode) - 4; size < sizeof(GumboNode) + 4; ++size) {
    page += "<p title='" + std::string(size, 'A') + "'>" + std::string(size, '\x41') + "</p>";
  }
  EXPECT_EQ(reason_of(repeated(page, 100)), "a page");
}

// Sizes have a bound, and anything else is a page.
TEST(HtmlTree, AcceptsAnythingElse) {
  EXPECT_EQ(reason_of(std::string(kPageBytesMax + 1, ' ')), "page_too_large");
  for (const std::string& text :
       {std::string(), std::string("\0\0\xff\xfe", 4), std::string("<"), std::string("<!--"),
        std::string("<script>"), repeated("</div>", 200), repeated("&amp", 1000),
        std::string("<frameset>"), std::string("<plaintext>x</plaintext>")}) {
    EXPECT_EQ(reason_of(text), "a page") << text;
  }
}

}  // namespace
}  // namespace drover::triggers
