#include "cmd/arrows.h"

#include <gtest/gtest.h>

namespace drover::arrows {
namespace {

constexpr auto kText = R"(# top
roof
left right
ground
only left: ground
forbidden-words roof in ground
only-in ground/door.cc left: `.open = `
)";

std::vector<std::string> judge(const std::string& path, const std::string& text,
                               const std::string& debt = "") {
  const auto order = parse_order(kText).value();
  const Source door = read_source("ground/door.cc", "door.open = true;\n", order);
  return complaints(order, {read_source(path, text, order), door}, debt);
}

using Complaints = std::vector<std::string>;

// A directory may include only directories below it.
TEST(Arrows, PointDown) {
  EXPECT_EQ(judge("roof/a.h", "#include \"left/b.h\"\n#include \"ground/c.h\"\n"), Complaints{});
  EXPECT_EQ(judge("roof/a.h", "#include \"roof/b.h\"\n#include <vector>\n"), Complaints{});
  EXPECT_EQ(judge("ground/a.h", "#include \"left/b.h\"\n"), Complaints{"ground/a.h includes left"});
  EXPECT_EQ(judge("left/a.h", "#include \"right/b.h\"\n"), Complaints{"left/a.h includes right"});
  EXPECT_EQ(judge("roof/a.h", "#include \"cellar/b.h\"\n"), Complaints{"roof/a.h includes cellar"});
}

// A directory with an `only` line may include only those; its tests may also include the fakes.
TEST(Arrows, LimitADirectoryToItsList) {
  EXPECT_EQ(judge("left/a.h", "#include \"ground/b.h\"\n"), Complaints{});
  EXPECT_EQ(judge("left/a.h", "#include \"testing/b.h\"\n"),
            Complaints{"left/a.h includes testing"});
  EXPECT_EQ(judge("left/a_test.cc", "#include \"testing/b.h\"\n"), Complaints{});
}

// A forbidden word is found as part of an identifier, in any case, and not within another word.
TEST(Arrows, FindForbiddenWords) {
  EXPECT_EQ(judge("ground/a.h", "int kRoofLimit;\n"), Complaints{"ground/a.h says roof"});
  EXPECT_EQ(judge("ground/a.h", "// a ROOF, roof_of(x)\n"), Complaints{"ground/a.h says roof"});
  EXPECT_EQ(judge("ground/a.h", "int proofs, roofer;\n"), Complaints{});
  EXPECT_EQ(judge("left/a.h", "int roof;\n"), Complaints{});
}

// A file under `allowed-in` may use any word.
TEST(Arrows, AllowWordsInListedFiles) {
  const auto order = parse_order(std::string(kText) + "allowed-in ground/old.cc\n").value();
  const std::vector<Source> sources{read_source("ground/old.cc", "// roof", order),
                                    read_source("ground/door.cc", "door.open = true;", order)};
  EXPECT_EQ(complaints(order, sources, ""), Complaints{});
}

// A text that belongs to a few files is found in the code of every other one. It may stand in their
// directories if the rule names a directory, in comments, and in tests.
TEST(Arrows, KeepTextInItsFiles) {
  const std::string text = "  door.open = true;\n";
  EXPECT_EQ(judge("ground/a.cc", text), Complaints{"ground/a.cc contains `.open = `"});
  EXPECT_EQ(judge("roof/door.cc", text), Complaints{"roof/door.cc contains `.open = `"});
  EXPECT_EQ(judge("ground/door.cc", text), Complaints{});
  EXPECT_EQ(judge("left/a.cc", text), Complaints{});
  EXPECT_EQ(judge("ground/a.cc", "if (door.open == true)  // Not: door.open = true\n"),
            Complaints{});
  EXPECT_EQ(judge("ground/a_test.cc", text), Complaints{});
  EXPECT_EQ(complaints(parse_order(kText).value(), {}, ""),
            Complaints{"ORDER: no file contains `.open = `, remove its rule"});
}

// A listed debt is not a complaint; a debt that no longer exists is.
TEST(Arrows, AllowDebtOnlyToShrink) {
  EXPECT_EQ(judge("ground/a.h", "#include \"left/b.h\"\n", "ground/a.h includes left\n"),
            Complaints{});
  EXPECT_EQ(judge("ground/a.h", "", "ground/a.h includes left\n"),
            Complaints{"no longer true, remove it: ground/a.h includes left"});
}

// An invalid line of src/ORDER is refused.
TEST(Arrows, RefuseAnInvalidLine) {
  EXPECT_FALSE(parse_order("only left ground\n"));
  EXPECT_FALSE(parse_order("forbidden-words roof\n"));
  EXPECT_FALSE(parse_order("only-in ground/a.cc: text\n"));
  EXPECT_FALSE(parse_order("only-in ground/a.cc `text`\n"));
  EXPECT_FALSE(parse_order("only-in `text`\n"));
}

}  // namespace
}  // namespace drover::arrows
