#include "cmd/literals.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace drover::literals {
namespace {

std::vector<std::string> texts(std::string_view source) {
  std::vector<std::string> out;
  for (const Literal& literal : read_literals(source)) out.push_back(literal.text);
  return out;
}

using Texts = std::vector<std::string>;

// Literals side by side are one text, also across lines; anything between them separates them.
TEST(Literals, AdjacentOnesAreOne) {
  EXPECT_EQ(texts("f(\"a \"\n  // why\n  \"b\", \"c\");"), (Texts{"a b", "c"}));
  EXPECT_EQ(texts("x = R\"(one\n\"two\")\" \"!\" + R\"q()\")q\";"),
            (Texts{"one\n\"two\"!", ")\""}));
  EXPECT_EQ(texts(R"(say("\"5\"\n is \\ bad");)"), Texts{"\"5\"  is \\ bad"});
}

// Comments, names of included files, characters and SQL are skipped.
TEST(Literals, SkipsTheRest) {
  EXPECT_EQ(texts("#include \"a.h\"\n// \"b\"\n/* \"c\"\n */ char d = '\"'; int e = 1'000; \"f\""),
            Texts{"f"});
  EXPECT_EQ(texts("char a = '\\''; \"b\"; '\\\\'; \"c\""), (Texts{"b", "c"}));
  EXPECT_EQ(texts("\"SELECT id \" \"FROM runs\"; R\"sql(\nCREATE TABLE a)sql\""), Texts{});
  EXPECT_EQ(texts("HOUR\"x\"; \"unfinished"), (Texts{"x", "unfinished"}));
}

// A literal knows the line that it begins in.
TEST(Literals, CountLines) {
  const auto found = read_literals("/*\n*/ R\"(\n\n)\";\n\"b\"\n\"c\"");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].line, 2U);
  EXPECT_EQ(found[1].line, 5U);
}

// Comments on successive lines are one text; text in backticks and literals are left out.
TEST(Comments, AreJoined) {
  const auto found = read_comments("// a `b`\n//\n// c\nint d;  // e\nf(\"// g\");\n/* h\n */");
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].text, " a `   c");
  EXPECT_EQ(found[1].text, " e");
  EXPECT_EQ(found[1].line, 4U);
  EXPECT_EQ(found[2].text, " h\n ");
}

// Names are read from code alone, and a declared type is known as one.
TEST(Identifiers, AreReadFromCode) {
  std::string names;
  for (const Identifier& one : read_identifiers(
           "// no\nstruct Once {\n  int x_1 = 1'000 + u8;  // no\n};\nenum class E { no1 = 'a' };\n"
           "f(\"no\", R\"(no)\");\nusing namespace a;")) {
    names += std::to_string(one.line) + one.name + (one.is_declared ? "! " : " ");
  }
  EXPECT_EQ(names, "2Once! 3int 3x_1 3u8 5E! 5no1 6f 7namespace! 7a ");
}

}  // namespace
}  // namespace drover::literals
