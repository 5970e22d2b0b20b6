#include "cli/views/table.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <sstream>

namespace drover::cli {
namespace {

constexpr const char* kId = "run_01jc8x0000000000000000000a";

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

// At 80 columns the command is cut; the id is never cut, and no line wraps.
TEST(Table, FitsEightyColumnsAndKeepsTheId) {
  const Screen screen(ColorMode::never);
  Table table({"ID", "COMMAND", "STATE", "AGE", "TIME", "EXIT"}, 1);
  table.add({{kId}, {std::string(200, 'x')}, {"completed"}, {"12m"}, {"1m02s"}, {"0"}});
  table.add({{kId}, {"true"}, {"failed"}, {"2d"}, {"85ms"}, {"KILL"}});
  for (const std::string& line : lines(table.text(screen, 80))) {
    EXPECT_LE(columns(line), 80U) << line;
  }
  const std::string row = lines(table.text(screen, 80)).at(1);
  EXPECT_TRUE(row.starts_with(kId)) << row;
  EXPECT_NE(row.find("…  completed"), std::string::npos) << row;
}

// If the columns do not fit, the id is shortened to a unique prefix and the least important columns
// are left out before the command becomes unreadable; a wide screen shows everything.
TEST(Table, ShortensAndLeavesOutBeforeTheCommandIsUnreadable) {
  const Screen screen(ColorMode::never);
  Table table({"ID", "COMMAND", "STATE", "WAITS", "LANE", "AGE", "TIME", "EXIT"}, 1);
  table.may_shorten(0, 16);
  table.may_leave_out(4);
  table.add({{kId},
             {"nightly report"},
             {"queued 1/3"},
             {"after …pqy49g"},
             {"default"},
             {"now"},
             {"114ms"},
             {"TERM"}});
  const auto narrow = lines(table.text(screen, 80));
  for (const std::string& line : narrow) EXPECT_LE(columns(line), 80U) << line;
  EXPECT_TRUE(narrow.at(1).starts_with("run_01jc8x000000  nightly repo")) << narrow.at(1);
  EXPECT_EQ(narrow.at(0).find("LANE"), std::string::npos);
  const auto middle = lines(table.text(screen, 90));
  EXPECT_TRUE(middle.at(1).starts_with("run_01jc8x000000  nightly report")) << middle.at(1);
  EXPECT_NE(middle.at(0).find("LANE"), std::string::npos);
  const auto wide = lines(table.text(screen, 200));
  EXPECT_TRUE(wide.at(1).starts_with(kId)) << wide.at(1);
}

// With any contents and any width, no line is wider than the terminal.
RC_GTEST_PROP(Table, FitsAnyWidth, (const std::vector<std::string>& words, bool lanes)) {
  const Screen screen(ColorMode::never);
  Table table({"ID", "COMMAND", "STATE", "LANE"}, 1);
  table.may_shorten(0, 16);
  if (lanes) table.may_leave_out(3);
  for (const std::string& word : words) {
    table.add({{kId}, {word + "漢字"}, {"completed"}, {word + word + word}});
  }
  const auto width = static_cast<size_t>(*rc::gen::inRange(1, 130));
  for (const std::string& line : lines(table.text(screen, width))) {
    RC_ASSERT(columns(line) <= width);
  }
}

// A column that may be cut is cut before it is left out or the command becomes unreadable.
TEST(Table, CutsBeforeItLeavesOut) {
  const Screen screen(ColorMode::never);
  Table table({"ID", "COMMAND", "LANE"}, 1);
  table.may_cut(2, 10);
  table.may_leave_out(2);
  table.add({{"run_1"}, {"make everything"}, {"a-lane-with-a-very-long-name"}});
  EXPECT_EQ(lines(table.text(screen, 80)).at(1),
            "run_1  make everything  a-lane-with-a-very-long-name");
  EXPECT_EQ(lines(table.text(screen, 40)).at(1), "run_1  make everything  a-lane-with-a-v…");
  EXPECT_EQ(lines(table.text(screen, 24)).at(1), "run_1  make everything");
}

// A narrow column that was left out returns if leaving out a wide one later made room for it.
TEST(Table, RestoresColumnsThatFit) {
  const Screen screen(ColorMode::never);
  Table table({"ID", "COMMAND", "WAITS", "AGE"}, 1);
  table.may_leave_out(3);
  table.may_leave_out(2);
  table.add({{"run_1"}, {"make everything"}, {"after 01jcqz5k3m8x and others"}, {"3d"}});
  EXPECT_EQ(lines(table.text(screen, 40)).at(1), "run_1  make everything  3d");
}

// Columns line up for any text, including wide characters and colors.
RC_GTEST_PROP(Table, ColumnsLineUp, (const std::vector<std::string>& words)) {
  const Screen screen(ColorMode::never);
  Table table({"A", "B"}, 0);
  for (const std::string& word : words) table.add({{word + "é漢"}, {"|"}});
  const auto all = lines(table.text(screen, 60));
  RC_ASSERT(all.size() == words.size() + 1);
  const size_t at = columns(all[0].substr(0, all[0].find('B')));
  for (size_t i = 1; i < all.size(); ++i) {
    RC_ASSERT(columns(all[i].substr(0, all[i].rfind('|'))) == at);
  }
}

// Emoji and East Asian characters take two columns, combining marks none.
TEST(Table, CountsColumns) {
  for (const char* wide : {"漢", "한", "✅", "⏰", "⭐", "🚀", "￥", "🈁"}) {
    EXPECT_EQ(columns(wide), 2U) << wide;
  }
  EXPECT_EQ(columns("e\u0301·─✓"), 4U);
}

// wrap() never splits words, and loses none.
TEST(Table, WrapsBetweenWords) {
  EXPECT_EQ(wrap("first 10ms later · if failed", 12),
            (std::vector<std::string>{"first 10ms", "later · if", "failed"}));
  EXPECT_EQ(wrap("a unbreakable b", 5), (std::vector<std::string>{"a", "unbreakable", "b"}));
  EXPECT_EQ(wrap("", 5), (std::vector<std::string>{""}));
}

// fold() loses no text and breaks words that are longer than a line.
TEST(Table, FoldsLongWords) {
  EXPECT_EQ(fold("a unbreakable b", 5), (std::vector<std::string>{"a", "unbre", "akabl", "e b"}));
  EXPECT_EQ(fold("漢字漢", 5), (std::vector<std::string>{"漢字", "漢"}));
  EXPECT_EQ(fold("漢", 1), (std::vector<std::string>{"漢"}));  // It cannot be narrower.
}

// The name of a command can neither move the cursor nor break the page.
TEST(Table, CleansControlCharacters) {
  EXPECT_EQ(clean("a\x1b[2Jb\nc\xFF\xC2\x9B"), "a?[2Jb c\xEF\xBF\xBD?");
  EXPECT_EQ(cut("漢字漢字", 5), "漢字…");
}

// Direction marks are replaced, so that text never reads backwards and the counted columns are
// those shown.
TEST(Table, CleansDirectionMarks) {
  for (const char* mark : {"\u061C", "\u200E", "\u200F", "\u202A", "\u202B", "\u202C", "\u202D",
                           "\u202E", "\u2066", "\u2067", "\u2068", "\u2069"}) {
    const std::string text = "rm " + std::string(mark) + "txt.exe";
    EXPECT_EQ(clean(text), "rm ?txt.exe");
    EXPECT_EQ(columns(text), columns(clean(text)));
  }
  const std::string harmless = "שלום \u2029\u200Dété";
  EXPECT_EQ(clean(harmless), harmless);
}

}  // namespace
}  // namespace drover::cli
