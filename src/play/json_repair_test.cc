#include "play/json_repair.h"

#include <gtest/gtest.h>

namespace drover::play {
namespace {

// NaN, infinities, comments and lone surrogates become JSON that the parser accepts.
TEST(JsonRepair, RepairsWhatTheParserRefuses) {
  EXPECT_EQ(repair_json(R"({"a":NaN,"b":-Infinity})"), R"({"a":null,"b":null})");
  EXPECT_EQ(repair_json("[1, // one\n2 /* two */]"), "[1,  \n2  ]");
  EXPECT_EQ(repair_json(R"("\ud83d \ud83d\ude00 \ude00 \u0041")"),
            R"("\ufffd \ud83d\ude00 \ufffd \u0041")");
}

// Texts stay as they are, and so does everything that only resembles a number or a comment.
TEST(JsonRepair, LeavesTheRestAlone) {
  for (const char* text : {R"({"NaN":"Infinity // /* NaN"})", "NaNs", "xNaN", "/", "/* open\n*/",
                           R"("\\ud83d")", R"("\u12")", R"("\)", "// \"blocking\": true"}) {
    EXPECT_EQ(repair_json(text), text);
  }
}

}  // namespace
}  // namespace drover::play
