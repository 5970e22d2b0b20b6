#include "cli/views/gap_seam.h"

#include <gtest/gtest.h>

namespace drover::cli {
namespace {

// The bytes that a reader sees: bytes of stream 1, those of stream 2 in brackets, and gaps in
// angles.
struct Page {
  explicit Page(CutLines cut)
      : seam(
            cut,
            [this](int stream, std::string_view bytes, bool) -> Result<> {
              text += stream == 1 ? std::string(bytes) : "[" + std::string(bytes) + "]";
              return {};
            },
            [this](const MissingBytes& missing) {
              text += "<" + std::to_string(missing.not_kept);
              if (missing.left_out > 0) text += "+" + std::to_string(missing.left_out);
              text += ">";
            }) {}
  std::string text;
  GapSeam seam;
};

// R11: head and tail are never joined, however the pieces are cut: by every reader, live or not.
// A reader of everything that is kept gets one newline more, if the gap has cut a line.
TEST(GapSeam, NeverJoins) {
  Page live(CutLines::left_out), ended(CutLines::ended), later(CutLines::left_out);
  Page ended_later(CutLines::ended);
  later.seam.hold();
  ended_later.seam.hold();
  for (Page* page : {&live, &ended, &later, &ended_later}) {
    ASSERT_TRUE(page->seam.pass(1, "one\ntw"));
    ASSERT_TRUE(page->seam.pass(1, "o\nthr"));
    ASSERT_TRUE(page->seam.gap(100));
    ASSERT_TRUE(page->seam.pass(1, "nine"));
    ASSERT_TRUE(page->seam.pass(1, "ty\nlast\n"));
    ASSERT_TRUE(page->seam.finish());
  }
  EXPECT_EQ(live.text, "one\ntwo\nthr\n<100+7>last\n");
  EXPECT_EQ(ended.text, "one\ntwo\nthr\n<100>ninety\nlast\n");
  EXPECT_EQ(later.text, "one\ntwo\n<100+10>last\n");
  EXPECT_EQ(ended_later.text, ended.text);
}

// A gap between two whole lines adds nothing.
TEST(GapSeam, AddsNothingBetweenLines) {
  Page page(CutLines::ended);
  ASSERT_TRUE(page.seam.pass(1, "one\n"));
  ASSERT_TRUE(page.seam.gap(100));
  ASSERT_TRUE(page.seam.pass(1, "last\n"));
  ASSERT_TRUE(page.seam.finish());
  EXPECT_EQ(page.text, "one\n<100>last\n");
}

// Each stream has its line; a gap ends both.
TEST(GapSeam, EndsTheLinesOfBothStreams) {
  Page page(CutLines::ended);
  ASSERT_TRUE(page.seam.pass(1, "out"));
  ASSERT_TRUE(page.seam.pass(2, "err"));
  ASSERT_TRUE(page.seam.gap(1));
  ASSERT_TRUE(page.seam.gap(2));
  ASSERT_TRUE(page.seam.pass(2, "more"));
  ASSERT_TRUE(page.seam.finish());
  EXPECT_EQ(page.text, "out[err]\n[\n]<3>[more]");
}

// Without a gap every byte is printed as it came, also a last line without its end; a long part of
// a line beside a gap is printed as well.
TEST(GapSeam, LeavesOutNothingElse) {
  const std::string line(3'000, 'x');
  Page page(CutLines::left_out);
  page.seam.hold();
  ASSERT_TRUE(page.seam.pass(1, "a\nb"));
  ASSERT_TRUE(page.seam.pass(1, "c"));
  ASSERT_TRUE(page.seam.flush());
  ASSERT_TRUE(page.seam.pass(1, "d"));
  EXPECT_EQ(page.text, "a\nbcd");
  Page wide(CutLines::left_out);
  wide.seam.hold();
  ASSERT_TRUE(wide.seam.pass(1, line));
  ASSERT_TRUE(wide.seam.pass(1, "y"));
  ASSERT_TRUE(wide.seam.gap(7));
  ASSERT_TRUE(wide.seam.pass(1, line));
  ASSERT_TRUE(wide.seam.finish());
  EXPECT_EQ(wide.text, line + "y\n<7>" + line);
  Page end(CutLines::left_out);
  ASSERT_TRUE(end.seam.pass(1, "a"));
  ASSERT_TRUE(end.seam.gap(5));
  ASSERT_TRUE(end.seam.finish());
  EXPECT_EQ(end.text, "a\n<5>");
}

}  // namespace
}  // namespace drover::cli
