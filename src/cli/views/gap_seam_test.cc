#include "cli/views/gap_seam.h"

#include <gtest/gtest.h>

namespace drover::cli {
namespace {

// What a reader sees: bytes of stream 1, those of stream 2 in brackets, and gaps in angles.
struct Page {
  explicit Page(bool trims)
      : seam(
            trims,
            [this](int stream, std::string_view bytes) -> Result<> {
              text += stream == 1 ? std::string(bytes) : "[" + std::string(bytes) + "]";
              return {};
            },
            [this](std::uint64_t missing) { text += "<" + std::to_string(missing) + ">"; }) {}
  std::string text;
  GapSeam seam;
};

// R11: head and tail are never joined, however the pieces are cut: by every reader, live or not.
TEST(GapSeam, NeverJoins) {
  Page live(true), raw(false), later(true);
  later.seam.hold();
  for (Page* page : {&live, &raw, &later}) {
    ASSERT_TRUE(page->seam.pass(1, "one\ntw"));
    ASSERT_TRUE(page->seam.pass(1, "o\nthr"));
    ASSERT_TRUE(page->seam.gap(100));
    ASSERT_TRUE(page->seam.pass(1, "nine"));
    ASSERT_TRUE(page->seam.pass(1, "ty\nlast\n"));
    ASSERT_TRUE(page->seam.finish());
  }
  EXPECT_EQ(live.text, "one\ntwo\nthr\n<107>last\n");
  EXPECT_EQ(raw.text, "one\ntwo\nthr\n<100>ninety\nlast\n");
  EXPECT_EQ(later.text, "one\ntwo\n<110>last\n");
}

// Each stream has its line; a gap ends both.
TEST(GapSeam, EndsTheLinesOfBothStreams) {
  Page page(false);
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
  Page page(true);
  page.seam.hold();
  ASSERT_TRUE(page.seam.pass(1, "a\nb"));
  ASSERT_TRUE(page.seam.pass(1, "c"));
  ASSERT_TRUE(page.seam.let_go());
  ASSERT_TRUE(page.seam.pass(1, "d"));
  EXPECT_EQ(page.text, "a\nbcd");
  Page wide(true);
  wide.seam.hold();
  ASSERT_TRUE(wide.seam.pass(1, line));
  ASSERT_TRUE(wide.seam.pass(1, "y"));
  ASSERT_TRUE(wide.seam.gap(7));
  ASSERT_TRUE(wide.seam.pass(1, line));
  ASSERT_TRUE(wide.seam.finish());
  EXPECT_EQ(wide.text, line + "y\n<7>" + line);
  Page end(true);
  ASSERT_TRUE(end.seam.pass(1, "a"));
  ASSERT_TRUE(end.seam.gap(5));
  ASSERT_TRUE(end.seam.finish());
  EXPECT_EQ(end.text, "a\n<5>");
}

}  // namespace
}  // namespace drover::cli
