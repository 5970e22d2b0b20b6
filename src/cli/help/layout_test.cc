#include "cli/help/layout.h"

#include <gtest/gtest.h>

#include "cli/documents_fixture.h"
#include "cli/every_command.h"

namespace drover::cli {
namespace {

// Paragraphs stay apart, and every line is wrapped on its own.
TEST(Layout, FillsParagraphs) {
  EXPECT_EQ(fill("one two three\n\nfour", 9), "one two\nthree\n\nfour\n");
  EXPECT_EQ(fill("", 9), "");
}

// A quoted command stays on one line, unless it takes more than half of it.
TEST(Layout, KeepsQuotedCommandsTogether) {
  EXPECT_EQ(fill("see `a b c` here", 14), "see `a b c`\nhere\n");
  EXPECT_EQ(fill("you see `a b c` here", 14), "you see\n`a b c` here\n");
  EXPECT_EQ(fill("you see `a b c d e` here", 14), "you see `a b c\nd e` here\n");
  EXPECT_EQ(fill("`a b`, c d `e f` g h", 9), "`a b`, c\nd `e f` g\nh\n");
}

// The right side starts on the next line if the left side reaches into its column.
TEST(Layout, PutsTextsBeside) {
  EXPECT_EQ(beside("ab", 4, "one two", 11), "ab  one two\n");
  EXPECT_EQ(beside("ab", 4, "one two", 10), "ab  one\n    two\n");
  EXPECT_EQ(beside("abc", 4, "one two", 8), "abc\n    one\n    two\n");
}

// A list has the column that its left sides need, unless that takes more than half of the line.
TEST(Layout, ListsFindTheirColumn) {
  const std::vector<Row> rows{{"a", "one"}, {"a-long-name", "two"}};
  EXPECT_EQ(list(rows, 40), "  a            one\n  a-long-name  two\n");
  EXPECT_EQ(list(rows, 40, 16), "  a             one\n  a-long-name   two\n");
  EXPECT_EQ(list(rows, 24, 4), "  a      one\n  a-long-name\n         two\n");
}

// A long command breaks between words, never inside quotes, and has room for the backslash.
TEST(Layout, CommandsBreakAfterABackslash) {
  EXPECT_EQ(command_lines("drover run -- ls", 18), "  drover run -- ls\n");
  EXPECT_EQ(command_lines("drover run -- ls", 17), "  drover run -- \\\n    ls\n");
  EXPECT_EQ(command_lines("drover run -- ls", 16), "  drover run \\\n    -- ls\n");
  EXPECT_EQ(command_lines("drover run 'a b c' \"d 'e f\"", 19),
            "  drover run \\\n    'a b c' \\\n    \"d 'e f\"\n");
}

// A shell reads the same words from a broken example as from the example.
TEST(Layout, BrokenExamplesMeanTheSame) {
  int broken = 0;
  for (const Command* command : every_command()) {
    for (const Example& example : command->examples) {
      const std::string lines = command_lines(example.line, 24);
      EXPECT_EQ(shell_commands(lines), shell_commands(example.line)) << lines;
      if (lines.find("\\\n") != std::string::npos) ++broken;
    }
  }
  EXPECT_GE(broken, 10);
}

}  // namespace
}  // namespace drover::cli
