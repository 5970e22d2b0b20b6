#include "cmd/arrows.h"

#include <gtest/gtest.h>

namespace drover::arrows {
namespace {

constexpr auto kText = R"(# top
roof
left right
ground
only left: ground
unspoken roof in ground
)";

std::vector<std::string> judge(const std::string& path, const std::string& text,
                               const std::string& debt = "") {
  const auto order = parse_order(kText).value();
  return complaints(order, {read_source(path, text, {"roof"})}, debt);
}

using Complaints = std::vector<std::string>;

// An include may point down and nowhere else.
TEST(Arrows, PointDown) {
  EXPECT_EQ(judge("roof/a.h", "#include \"left/b.h\"\n#include \"ground/c.h\"\n"), Complaints{});
  EXPECT_EQ(judge("roof/a.h", "#include \"roof/b.h\"\n#include <vector>\n"), Complaints{});
  EXPECT_EQ(judge("ground/a.h", "#include \"left/b.h\"\n"), Complaints{"ground/a.h includes left"});
  EXPECT_EQ(judge("left/a.h", "#include \"right/b.h\"\n"), Complaints{"left/a.h includes right"});
  EXPECT_EQ(judge("roof/a.h", "#include \"cellar/b.h\"\n"), Complaints{"roof/a.h includes cellar"});
}

// A directory that may use less than what is below it is held to that; its tests may use the fakes.
TEST(Arrows, HoldADirectoryToItsList) {
  EXPECT_EQ(judge("left/a.h", "#include \"ground/b.h\"\n"), Complaints{});
  EXPECT_EQ(judge("left/a.h", "#include \"testing/b.h\"\n"),
            Complaints{"left/a.h includes testing"});
  EXPECT_EQ(judge("left/a_test.cc", "#include \"testing/b.h\"\n"), Complaints{});
}

// A word is found as a part of an identifier, in any case, and not within another word.
TEST(Arrows, HearWords) {
  EXPECT_EQ(judge("ground/a.h", "int kRoofLimit;\n"), Complaints{"ground/a.h says roof"});
  EXPECT_EQ(judge("ground/a.h", "// a ROOF, roof_of(x)\n"), Complaints{"ground/a.h says roof"});
  EXPECT_EQ(judge("ground/a.h", "int proofs, roofer;\n"), Complaints{});
  EXPECT_EQ(judge("left/a.h", "int roof;\n"), Complaints{});
}

// A file that may say anything is not listened to.
TEST(Arrows, LetHistorySpeak) {
  const auto order = parse_order(std::string(kText) + "may-say ground/old.cc\n").value();
  EXPECT_EQ(complaints(order, {read_source("ground/old.cc", "// roof", {"roof"})}, ""),
            Complaints{});
}

// What is listed as debt is no complaint; debt that was paid is.
TEST(Arrows, MayOnlyGetFewer) {
  EXPECT_EQ(judge("ground/a.h", "#include \"left/b.h\"\n", "ground/a.h includes left\n"),
            Complaints{});
  EXPECT_EQ(judge("ground/a.h", "", "ground/a.h includes left\n"),
            Complaints{"no longer so, remove it: ground/a.h includes left"});
}

// A list that cannot be read is refused.
TEST(Arrows, RefuseALineThatSaysNothing) {
  EXPECT_FALSE(parse_order("only left ground\n"));
  EXPECT_FALSE(parse_order("unspoken roof\n"));
}

}  // namespace
}  // namespace drover::arrows
