#include "triggers/poll/page.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "access/seal.h"
#include "triggers/poll/limits.h"

namespace drover::triggers {
namespace {

Result<PageText> picked(std::string_view html, std::string_view selector) {
  const auto parsed = parse_selector(selector);
  if (!parsed) return std::unexpected(parsed.error());
  return select(html, *parsed);
}

std::string text_of(std::string_view html, std::string_view selector) {
  const auto page = picked(html, selector);
  return page ? page->text : page.error().reason;
}

constexpr std::string_view kPage =
    "<!doctype html><title>T</title><body class='x y'><div id=main><h1>Head</h1>"
    "<ul class='list a'><li>one<li class=new lang=de>two<ul><li>deep</ul></ul>"
    "<p data-price='9 €'>costs <b>9</b> €</p></div><div><p>other</p></div>"
    "<x-card KIND=Big>card</x-card>";

// Each form of the selector picks what CSS says.
TEST(Page, SelectsElements) {
  EXPECT_EQ(text_of(kPage, "h1"), "Head");
  EXPECT_EQ(text_of(kPage, "#main h1"), "Head");
  EXPECT_EQ(text_of(kPage, "body > h1"), "nothing_matched");
  EXPECT_EQ(text_of(kPage, "body > div > h1"), "Head");
  EXPECT_EQ(text_of(kPage, "html h1"), "Head");
  EXPECT_EQ(text_of(kPage, ".new"), "two deep");
  EXPECT_EQ(text_of(kPage, ".a.list > .new[lang=de]"), "two deep");
  EXPECT_EQ(text_of(kPage, "ul ul li"), "deep");
  EXPECT_EQ(text_of(kPage, "ul > li > ul > li"), "deep");
  EXPECT_EQ(text_of(kPage, "[data-price]"), "costs 9 €");
  EXPECT_EQ(text_of(kPage, "[data-price='9 €'] b"), "9");
  EXPECT_EQ(text_of(kPage, "p"), "costs 9 €\nother");
  EXPECT_EQ(text_of(kPage, "p, h1"), "Head\ncosts 9 €\nother");
  EXPECT_EQ(text_of(kPage, "x-card[kind=Big]"), "card");
  EXPECT_EQ(text_of(kPage, "title"), "T");
  for (const char* none : {".NEW", ".lis", "#Main", "[lang=d]", "li h1", "h1 > *", "x-car"}) {
    EXPECT_EQ(text_of(kPage, none), "nothing_matched") << none;
  }
}

// A step that matches at one ancestor and not at another needs the right one: "a > b c".
TEST(Page, FindsTheRightAncestor) {
  EXPECT_EQ(text_of("<i><b><b><u>x</u></b></b></i>", "i > b u"), "x");
  EXPECT_EQ(text_of("<i><b><i><s><u>x</u></s></i></b></i>", "i > b > i u"), "x");
  EXPECT_EQ(text_of("<i><s><b><u>x</u></b></s></i>", "i > b u"), "nothing_matched");
}

// An element inside a picked one is not repeated, and matches are counted from outside.
TEST(Page, DoesNotRepeatNestedElements) {
  const auto page = picked("<div>a<div>b</div></div><div>c</div>", "div");
  ASSERT_TRUE(page);
  EXPECT_EQ(page->matches, 2u);
  EXPECT_EQ(page->text, "a b\nc");
}

// Only what a person reads counts: no markup, scripts, styles or comments; whitespace is folded.
TEST(Page, NormalizesText) {
  const std::string_view expected = "a b c d";
  for (const char* html :
       {"<p>a b c d", "<p> a\n\tb&nbsp;&nbsp;c <i> d</i> ", "<p>a<br>b <span>c</span> d",
        "<p>a<script>x</script> b<!-- y --> c<style>z</style> d",
        "<p>a <b>b</b> c <template>t</template>d"}) {
    EXPECT_EQ(text_of(html, "p"), expected) << html;
  }
  EXPECT_EQ(text_of("<p>un<b>bro</b>ken", "p"), "unbroken");
  EXPECT_EQ(text_of("<section><p>a</p><p>b</p>c</section>", "section"), "a b c");
  EXPECT_EQ(text_of("<p></p>", "p"), "");
  EXPECT_EQ(text_of("<script>x</script>", "script"), "x");
}

// The hash is that of the text: attributes do not change it, words do. The first poll fires
// nothing.
TEST(Page, HashesText) {
  const auto before = picked("<p class=a>one  two</p>", "p");
  const auto same = picked("<div><p class=b>one <i>two</i></p></div>", "p");
  const auto other = picked("<p>one three</p>", "p");
  ASSERT_TRUE(before && same && other);
  EXPECT_EQ(before->hash, access::sha256_hex("one two"));
  EXPECT_FALSE(page_changed("", *before));
  EXPECT_FALSE(page_changed(before->hash, *same));
  EXPECT_TRUE(page_changed(before->hash, *other));
}

// A page without the element is not an error of the page: the reason says so.
TEST(Page, SaysThatNothingMatched) {
  const auto page = picked("<p>x</p>", "#price");
  ASSERT_FALSE(page);
  EXPECT_EQ(page.error().code, ErrorCode::not_found);
  EXPECT_EQ(page.error().reason, "nothing_matched");
  EXPECT_EQ(page.error().param, "selector");
  EXPECT_EQ(text_of("", "p"), "nothing_matched");
}

// The text is bounded, the hash is of all of it; a hostile page is refused.
TEST(Page, HasBounds) {
  const std::string large(kPageTextBytesMax + 100, 'x');
  const auto one = picked("<p>" + large + "1", "p");
  const auto two = picked("<p>" + large + "2", "p");
  ASSERT_TRUE(one && two);
  EXPECT_LE(one->text.size(), kPageTextBytesMax);
  EXPECT_EQ(one->text, two->text);
  EXPECT_NE(one->hash, two->hash);
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "<div>";
  EXPECT_EQ(text_of(deep, "div"), "page_too_complex");
}

// Tag soup of any kind gives a text or a reason, and the same one twice.
RC_GTEST_PROP(Page, SurvivesTagSoup, ()) {
  const auto pieces = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
      "<p>", "</p>", "<table>", "</table>", "<tr>", "<td>", "<b>", "</b>", "<a>", "<div class=c>",
      "</div>", "text", " ", "<select>", "<svg>", "<!--", "-->", "<script>", "</script>", "<ul>",
      "<li>", "&amp;", "\xff", "<template>", "<form>", "<frameset>", "</body>", "<i x=1>"));
  std::string html;
  for (const std::string& piece : pieces) html += piece;
  RC_ASSERT(text_of(html, "p, div.c > *, table td") == text_of(html, "p, div.c > *, table td"));
}

}  // namespace
}  // namespace drover::triggers
