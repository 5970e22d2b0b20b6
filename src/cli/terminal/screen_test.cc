#include "cli/terminal/screen.h"

#include <gtest/gtest.h>

namespace drover::cli {
namespace {

// A notice is wrapped between words and aligned; a command on its own line stays unbroken, to be
// copied.
TEST(Screen, WrapsNotices) {
  EXPECT_EQ(notice_lines("detached", 20), "detached\n");
  EXPECT_EQ(notice_lines("canceling the active runs; press Ctrl-C", 20),
            "canceling the active\n        runs; press Ctrl-C\n");
  EXPECT_EQ(notice_lines("to do it:\n  a command that is longer than a line\x1b", 20),
            "to do it:\n  a command that is longer than a line?\n");
  EXPECT_EQ(notice_lines("", 20), "\n");
}

// Sentences use the terminal up to 100 columns, and a tiny terminal does not break every word.
TEST(Screen, LimitsTheWidthOfText) {
  const auto text_width = [](size_t width) { return Screen(ColorMode::never, width).text_width(); };
  EXPECT_EQ(text_width(10), 40U);
  EXPECT_EQ(text_width(60), 60U);
  EXPECT_EQ(text_width(100), 100U);
  EXPECT_EQ(text_width(200), 100U);
}

}  // namespace
}  // namespace drover::cli
