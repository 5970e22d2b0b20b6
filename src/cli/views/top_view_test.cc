#include "cli/views/top_view.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "cli/views/table.h"
#include "cli/watch.h"

namespace drover::cli {
namespace {

using Name = Key::Name;

TopView view_of(int count) {
  TopView view;
  for (int i = 0; i < count; ++i) {
    view.runs.push_back(boost::json::object{{"run_id", "run_" + std::to_string(i)},
                                            {"state", i % 2 == 0 ? "running" : "completed"}});
  }
  settle(view);
  return view;
}

std::string table_of(const TopView& view) {
  std::string out = "ID\n";
  for (const auto& run : view.runs) out += std::string(run.at("run_id").as_string()) + "\n";
  return out;
}

// S1: after any keys and at any size, the frame fits, and the selected run is visible.
TEST(TopView, FitsAnySize) {
  const bool holds = rc::check([](std::string keys) {
    Screen screen(ColorMode::never);
    TopView view = view_of(*rc::gen::inRange(0, 60));
    const auto columns = static_cast<size_t>(*rc::gen::inRange(3, 200));
    const auto rows = static_cast<size_t>(*rc::gen::inRange(1, 50));
    for (const char c : keys) {
      const auto name = static_cast<Name>(static_cast<unsigned char>(c) % 10);
      (void)press(view, {name, c}, rows);
      const auto lines = draw(view, table_of(view), screen, columns, rows);
      RC_ASSERT(lines.size() == rows);
      bool seen = view.runs.empty() || view.logs || rows < 4;
      for (const std::string& line : lines) {
        seen = seen || line.find("\x1b[7m") != std::string::npos;
      }
      RC_ASSERT(seen);
    }
  });
  EXPECT_TRUE(holds);
}

// S1: a run stays selected when others are inserted above it; if it is gone, another is selected.
TEST(TopView, KeepsTheSelection) {
  TopView view = view_of(3);
  (void)press(view, {Name::down, 0}, 24);
  EXPECT_EQ(view.selected, "run_1");
  view.runs.insert(view.runs.begin(), boost::json::object{{"run_id", "run_new"}});
  settle(view);
  EXPECT_EQ(view.selected, "run_1");
  view.runs.erase(view.runs.begin() + 2);
  settle(view);
  EXPECT_EQ(view.selected, "run_new");
}

// S1: if the run is no longer listed, its output is still shown, and under its own name.
TEST(TopView, ShowsTheOutputOfAnUnlistedRun) {
  Screen screen(ColorMode::never);
  TopView view = view_of(2);
  view.runs[0].get_object()["name"] = "another";
  (void)press(view, {Name::down, 0}, 24);
  (void)press(view, {Name::enter, 0}, 24);
  EXPECT_EQ(draw(view, "", screen, 80, 24).front(), "run_1 · completed · ");
  view.runs.pop_back();
  settle(view);
  EXPECT_EQ(draw(view, "", screen, 80, 24).front(), "run_1");
}

// S1: `top` cancels only after a yes, and only active runs.
TEST(TopView, CancelNeedsConfirmation) {
  TopView view = view_of(2);
  EXPECT_EQ(press(view, {Name::letter, 'c'}, 24), TopAction::nothing);
  EXPECT_TRUE(view.asks);
  EXPECT_EQ(press(view, {Name::letter, 'q'}, 24), TopAction::nothing);
  EXPECT_FALSE(view.asks);
  (void)press(view, {Name::letter, 'c'}, 24);
  EXPECT_EQ(press(view, {Name::letter, 'y'}, 24), TopAction::cancel);
  (void)press(view, {Name::down, 0}, 24);
  (void)press(view, {Name::letter, 'c'}, 24);
  EXPECT_FALSE(view.asks);
  EXPECT_EQ(press(view, {Name::letter, 'q'}, 24), TopAction::quit);
}

// S1: in the output, the movement keys scroll within the text that was read. The first step up asks
// for older lines, and the last step down follows the output again.
TEST(TopView, ScrollsTheOutput) {
  Screen screen(ColorMode::never);
  TopView view = view_of(1);
  EXPECT_EQ(press(view, {Name::enter, 0}, 6), TopAction::look);
  for (int i = 1; i <= 9; ++i) view.log_text += std::to_string(i) + "\n";
  const auto shown = [&] {
    const auto lines = draw(view, "", screen, 80, 6);  // Three of them show output.
    return lines[2] + lines[3] + lines[4];
  };
  EXPECT_EQ(shown(), "789");
  EXPECT_EQ(press(view, {Name::down, 0}, 6), TopAction::nothing);
  EXPECT_EQ(press(view, {Name::up, 0}, 6), TopAction::look);
  EXPECT_EQ(shown(), "678");
  EXPECT_EQ(press(view, {Name::letter, 'k'}, 6), TopAction::nothing);
  EXPECT_EQ(shown(), "567");
  EXPECT_EQ(press(view, {Name::page_up, 0}, 6), TopAction::nothing);
  EXPECT_EQ(shown(), "234");
  (void)press(view, {Name::home, 0}, 6);
  (void)press(view, {Name::up, 0}, 6);
  EXPECT_EQ(shown(), "123");
  (void)press(view, {Name::page_down, 0}, 6);
  EXPECT_EQ(shown(), "456");
  EXPECT_EQ(press(view, {Name::end, 0}, 6), TopAction::look);
  EXPECT_EQ(shown(), "789");
  EXPECT_EQ(view.selected, "run_0");
  (void)press(view, {Name::home, 0}, 6);
  (void)press(view, {Name::escape, 0}, 6);
  (void)press(view, {Name::enter, 0}, 6);
  EXPECT_EQ(shown(), "789");  // A new look begins at the end.
}

// S1: output is shown as text: its escape codes never reach the terminal.
TEST(TopView, EscapeCodesNeverReachTheTerminal) {
  EXPECT_EQ(tail_lines("a\n10%\r20%\r\n\x1b[31mred\x1b[0m\x07\n", 80, 2),
            (std::vector<std::string>{"20%", "red"}));
  EXPECT_EQ(tail_lines("\x1b]0;title\x07"
                       "a\x1b[2Kb\x1b[1;2Hc\n",
                       80, 3)
                .back(),
            "c");
  EXPECT_EQ(tail_lines("\x1b[?25lkeep my words\n", 80, 1),
            std::vector<std::string>{"keep my words"});
  EXPECT_EQ(tail_lines("0123456789", 5, 5), std::vector<std::string>{"0123…"});
}

// S1: bytes become the same keys however they are split; a lone escape is a key only after a pause.
TEST(Keys, AreTheSameHoweverBytesAreSplit) {
  std::string bytes = "q\x1b[A\x1bOB\r\x1b[5~\x1b[1;5C\x1b";
  std::vector<Key> keys;
  while (const auto key = take_key(bytes, false)) keys.push_back(*key);
  EXPECT_EQ(keys, (std::vector<Key>{{Name::letter, 'q'},
                                    {Name::up, 0},
                                    {Name::down, 0},
                                    {Name::enter, 0},
                                    {Name::page_up, 0},
                                    {Name::other, 0}}));
  EXPECT_EQ(bytes, "\x1b");
  EXPECT_EQ(take_key(bytes, true), (Key{Name::escape, 0}));
}

// S1: a table longer than the window says how many lines are left out.
TEST(Watch, FitsTheRows) {
  EXPECT_EQ(fit_rows("a\nb\n", 2), "a\nb\n");
  EXPECT_EQ(fit_rows("a\nb\nc\nd\n", 3), "a\nb\n… and 2 more\n");
}

}  // namespace
}  // namespace drover::cli
