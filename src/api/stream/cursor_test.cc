#include "api/stream/cursor.h"

#include <gtest/gtest.h>

namespace drover::api {
namespace {

const store::Epochs kEpochs({{.name = "aa", .first_seq = 1, .follows = 0}});
constexpr std::int64_t kLast = 9;

// A cursor is valid unless compaction has removed events after it.
TEST(Cursor, LaggedOnlyBeforeTheCompactedEvents) {
  EXPECT_FALSE(judge({}, kLast, kEpochs).lagged);
  const Cursor at_the_end{.seq = 7, .offset = 3, .epoch = "aa"};
  EXPECT_FALSE(judge(at_the_end, kLast, kEpochs, 7).lagged);
  EXPECT_EQ(text_of(judge(at_the_end, kLast, kEpochs, 7).resume_at, kEpochs), "7-aa.3");
  const CursorVerdict verdict = judge({.seq = 4, .offset = 3, .epoch = "aa"}, kLast, kEpochs, 7);
  EXPECT_TRUE(verdict.lagged);
  EXPECT_EQ(verdict.missed, 3);
  EXPECT_EQ(text_of(verdict.resume_at.seq, kEpochs), "7-aa");
  EXPECT_FALSE(judge(verdict.resume_at, kLast, kEpochs, 7).lagged);
  EXPECT_EQ(lagged_text(3, "7-aa"), R"({"missed":3,"cursor":"7-aa"})");
}

// A cursor of a lost epoch lagged, too; if the rest was compacted, it resumes after that.
TEST(Cursor, LaggedIfItsEpochIsLost) {
  const CursorVerdict lost = judge({.seq = 4, .offset = 0, .epoch = "bb"}, kLast, kEpochs);
  EXPECT_TRUE(lost.lagged);
  EXPECT_EQ(lost.resume_at.seq, 0);
  const CursorVerdict both = judge({.seq = 4, .offset = 0, .epoch = "bb"}, kLast, kEpochs, 7);
  EXPECT_TRUE(both.lagged);
  EXPECT_EQ(both.resume_at.seq, 7);
}

// The offset in the output of each run survives a text and back.
TEST(Cursor, KeepsThePlacesInAllOutputs) {
  Cursor cursor{.seq = 7, .offset = 0, .epoch = {}};
  cursor.has_outputs = true;
  EXPECT_EQ(text_of(cursor, kEpochs), "7-aa,");
  const auto parsed = parse_cursor("7-aa,", "after");
  ASSERT_TRUE(parsed);
  EXPECT_TRUE(parsed->has_outputs);
  EXPECT_EQ(parsed->epoch, "aa");
}

}  // namespace
}  // namespace drover::api
