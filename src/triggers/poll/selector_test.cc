#include "triggers/poll/selector.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "triggers/poll/limits.h"

namespace drover::triggers {
namespace {

using After = SelectorStep::After;
using Kind = AttributeTest::Kind;

std::string refusal(std::string_view text) {
  const auto selector = parse_selector(text);
  if (selector) return "";
  EXPECT_EQ(selector.error().param, "selector");
  return selector.error().message;
}

// A compound has a type, ids, classes and attributes.
TEST(Selector, ReadsCompounds) {
  const auto selector = parse_selector("LI#main.a.B[Data-X][lang=de][ t = 'a b' ]");
  ASSERT_TRUE(selector);
  ASSERT_EQ(selector->steps.size(), 1u);
  EXPECT_EQ(selector->steps[0], (SelectorStep{.type = "li",
                                              .attributes = {{"id", "main", Kind::equals},
                                                             {"class", "a", Kind::has_word},
                                                             {"class", "B", Kind::has_word},
                                                             {"data-x"},
                                                             {"lang", "de", Kind::equals},
                                                             {"t", "a b", Kind::equals}},
                                              .is_last = true}));
  EXPECT_EQ(parse_selector("*")->steps[0].type, "");
  EXPECT_EQ(parse_selector("[a=\"]\"]")->steps[0].attributes[0].value, "]");
  EXPECT_EQ(parse_selector(".größe")->steps[0].attributes[0].value, "größe");
}

// Combinators and lists.
TEST(Selector, ReadsCombinators) {
  const auto selector = parse_selector("  ul li>a , h1 ");
  ASSERT_TRUE(selector);
  ASSERT_EQ(selector->steps.size(), 4u);
  EXPECT_EQ(selector->steps[0], (SelectorStep{.type = "ul"}));
  EXPECT_EQ(selector->steps[1], (SelectorStep{.after = After::ancestor, .type = "li"}));
  EXPECT_EQ(selector->steps[2],
            (SelectorStep{.after = After::parent, .type = "a", .is_last = true}));
  EXPECT_EQ(selector->steps[3], (SelectorStep{.type = "h1", .is_last = true}));
}

// An unsupported part is refused by its name, and a mistake with its place.
TEST(Selector, RefusesTheRest) {
  for (const char* text : {"li:nth-child(2)", "a:hover", "p::before", ":root"}) {
    EXPECT_NE(refusal(text).find("pseudo-classes"), std::string::npos) << text;
  }
  for (const char* text : {"a + b", "a ~ b", "a+b"}) {
    EXPECT_NE(refusal(text).find("siblings"), std::string::npos) << text;
  }
  for (const char* text : {"[a^=b]", "[a$=b]", "[a*=b]", "[a~=b]", "[a|=b]"}) {
    EXPECT_NE(refusal(text).find("^="), std::string::npos) << text;
  }
  for (const char* text : {"a\\:b", "[a='\\'']"}) {
    EXPECT_NE(refusal(text).find("escapes"), std::string::npos) << text;
  }
  for (const char* text :
       {"",       " ",       ",",  "a,",   ",a",  "a,,b",  ">",     "> a", "a >",  "a > > b",
        "#",      ".",       "a.", "a..b", "[",   "[]",    "[a",    "[a=", "[a=]", "[a='",
        "[a='b'", "[a=b c]", "a]", "a)",   "a{}", "svg|a", "a b >", "**",  "a*",   "#1 #"}) {
    EXPECT_NE(refusal(text), "") << text;
  }
  EXPECT_NE(refusal("ul li:first").find("at byte 6"), std::string::npos) << refusal("ul li:first");
  EXPECT_NE(refusal("\xff"), "");
}

// Length and parts have bounds.
TEST(Selector, HasBounds) {
  std::string steps = "a";
  for (size_t i = 1; i < kSelectorStepsMax; ++i) steps += " a";
  EXPECT_EQ(parse_selector(steps)->steps.size(), kSelectorStepsMax);
  EXPECT_NE(refusal(steps + " a"), "");
  EXPECT_NE(refusal(steps + ",a"), "");
  EXPECT_NE(refusal(std::string(kSelectorBytesMax + 1, 'a')), "");
}

// Any text is either refused or has steps of which the last is selected.
RC_GTEST_PROP(Selector, SurvivesAnyText, ()) {
  const auto text = *rc::gen::container<std::string>(rc::gen::oneOf(
      rc::gen::arbitrary<char>(), rc::gen::elementOf(std::string("ab.#[]='\"> ,*:+~\\"))));
  const auto selector = parse_selector(text);
  if (!selector) return;
  RC_ASSERT(!selector->steps.empty());
  RC_ASSERT(selector->steps.back().is_last);
  RC_ASSERT(selector->steps.front().after == After::nothing);
}

}  // namespace
}  // namespace drover::triggers
