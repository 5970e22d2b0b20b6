#include "screen/screen.h"
#include "base/text.h"
#include "screen/emulator.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace drover::screen {
namespace {

Screen after(std::string_view bytes, TerminalSize size = {.rows = 5, .columns = 20}) {
  Screen screen(size);
  screen.see(bytes);
  return screen;
}

// Overwritten, moved and erased text appears in its final form.
TEST(Screen, ShowsTheFinalText) {
  EXPECT_EQ(after("").text(), "");
  EXPECT_EQ(after("one\r\ntwo").text(), "one\ntwo\n");
  EXPECT_EQ(after("10%\r20%\r\x1b[31m100%\x1b[0m").text(), "100%\n");
  EXPECT_EQ(after("\x1b[3;5Hx\x1b[1;1Htop").text(), "top\n\n    x\n");
  EXPECT_EQ(after("gone\x1b[2J\x1b[Hhere").text(), "here\n");
  EXPECT_EQ(after("1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n7").text(), "3\n4\n5\n6\n7\n");
  EXPECT_EQ(after("gr\xc3\xbc\xc3\x9f \xe4\xb8\xad\xf0\x9f\x90\x91").text(),
            "gr\xc3\xbc\xc3\x9f \xe4\xb8\xad\xf0\x9f\x90\x91\n");
}

// The alternate screen is shown while it is active, and the main one afterwards.
TEST(Screen, ShowsTheAlternateScreenWhileItIsActive) {
  EXPECT_EQ(after("shell\x1b[?1049h\x1b[Heditor").text(), "editor\n");
  EXPECT_EQ(after("shell\x1b[?1049h\x1b[Heditor\x1b[?1049l$").text(), "shell$\n");
}

// Text printed for an earlier size stays; later text can use the whole new size, also after a
// program that set margins, as vim does.
TEST(Screen, CanBeResized) {
  Screen screen = after("\x1b[1;5r\x1b[Hold\x1b[5;1H");
  screen.resize({.rows = 8, .columns = 30});
  EXPECT_EQ(screen.text(), "old\n");
  screen.see("\x1b[H\x1b[2J1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n7 and a line of thirty letter");
  EXPECT_EQ(screen.text(), "1\n2\n3\n4\n5\n6\n7 and a line of thirty letter\n");
  screen.resize({.rows = 2, .columns = 10});
  screen.see("\x1b[H\x1b[2Jsmall");
  EXPECT_EQ(screen.text(), "small\n");
}

// An incomplete sequence does not swallow the text after a gap, and the text does not continue the
// line before the gap. A program on the whole screen moves the cursor itself: nothing scrolls
// there.
TEST(Screen, DropsAnIncompleteSequence) {
  for (const auto& [before, text] :
       {std::pair{"a", "a\nb\n"}, {"a\r\n", "a\nb\n"}, {"\x1b[?1049h\x1b[Ha", "ab\n"}}) {
    Screen screen = after(std::string(before) + "\x1b]0;a title that never ends");
    screen.skip();
    screen.see("b");
    EXPECT_EQ(screen.text(), text);
  }
}

// Whatever a program prints, the text is UTF-8: also after sequences for code points that do not
// exist, and for halves of a pair.
TEST(Screen, ShowsOnlyUtf8) {
  for (const char* bytes : {"\xf5\xb3\x9e\x8c", "\xed\xa0\x80", "\xfc\xbf\xbf\xbf\xbf\xbf"}) {
    Screen screen = after(bytes);
    EXPECT_TRUE(is_utf8(screen.text())) << bytes;
    EXPECT_TRUE(is_utf8(screen.redraw())) << bytes;
  }
}

// A terminal that shrinks keeps its last lines. A cursor above them stays on the screen, and what
// is printed next can be seen.
TEST(Screen, KeepsTheCursorWhenItShrinks) {
  Screen screen = after("1\r\n2\r\n3\r\n4\r\n5\x1b[2;1H");
  screen.resize({.rows = 2, .columns = 20});
  screen.see("x");
  EXPECT_EQ(screen.text(), "x\n5\n");
}

// A cursor that was saved on a line that is gone since is restored to the last line.
TEST(Screen, RestoresACursorOfALargerScreen) {
  Screen screen = after(
      "1\r\n2\r\n3\x1b"
      "7\x1b[1;1H");
  screen.resize({.rows = 1, .columns = 20});
  screen.see(
      "\x1b"
      "8x");
  EXPECT_EQ(screen.text(), "3x\n");
  Emulator emulator({.rows = 3, .columns = 20});
  emulator.see(
      "\x1b[3;5H\x1b"
      "7");
  emulator.resize({.rows = 1, .columns = 3});
  emulator.see(
      "\x1b"
      "8");
  EXPECT_EQ(emulator.cursor().row, 0);
  EXPECT_EQ(emulator.cursor().col, 2);
}

// S2: no output can make libvterm write beyond the arguments that it has room for. Nor if the
// sequence arrives in parts, contains control characters, or is within another one.
TEST(Screen, SurvivesAnyNumberOfArguments) {
  for (const char separator : {';', ':'}) {
    const std::string many(1'000, separator);
    for (const std::string& begin :
         {"\x1b[", "\x1b\n[", "\x1b]0;title\x1b[", "\x1b[?", "\x1b[1\n"}) {
      Screen screen = after(begin + many);
      screen.see(many + "1mtext\x1b[0m");
      screen.skip();
      screen.see("\x1b[2J\x1b[Hhere");
      EXPECT_EQ(screen.text(), "here\n");
    }
  }
  // Those that fit have their effect.
  EXPECT_EQ(after("\x1b[;;;;;;;;;;;;;;;31mred").redraw(), after("\x1b[31mred").redraw());
}

// A repetition repeats the last letter, up to the end of the line. Without a letter, or of one that
// has no width, it ends, too.
TEST(Screen, RepeatsALetter) {
  EXPECT_EQ(after("ab\x1b[3bc").text(), "abbbbc\n");
  EXPECT_EQ(after("\xe4\xb8\xad\x1b[b").text(), "\xe4\xb8\xad\xe4\xb8\xad\n");
  EXPECT_EQ(after("x\x1b[99999999999b").text(), std::string(20, 'x') + "\n");
  EXPECT_EQ(after("\x1b[b|").text(), "|\n");
  EXPECT_EQ(after("\xe2\x80\x8b\x1b[5b|").text().find('|'),
            0U + after("\xe2\x80\x8b|").text().find('|'));
  EXPECT_EQ(after("a\x1b[?3b\x1b[3 b.").text(), "a.\n");
}

// In the narrowest terminal, too, the cursor stays on the screen: on a line of double width it has
// half of the columns.
TEST(Screen, HasRoomForACursor) {
  for (const char* moved : {"\x1b[C", "\x1b[5G", "\t", "wide", "\x1b[1;9H"}) {
    Emulator emulator({.rows = 3, .columns = 9});
    emulator.see("\x1b#6");
    emulator.resize({.rows = 3, .columns = 1});
    emulator.see(moved);
    EXPECT_GE(emulator.cursor().col, 0) << moved;
    emulator.see(std::string("\x1b#6") + moved);
    EXPECT_GE(emulator.cursor().col, 0) << moved;
  }
}

// A redrawn screen is the same on another terminal: letters, styles, cursor, keys, mouse.
TEST(Screen, RedrawsEverything) {
  const std::string drawn =
      after(
          "\x1b[?1049h\x1b[?1h\x1b[?2004h\x1b[?1002h\x1b[?1006h\x1b[?25l\x1b[6 q"
          "\x1b[2;3H\x1b[1;31mred\x1b[0m \x1b[48;2;1;2;3m \x1b[0m \x1b[4;38;5;200mx\x1b[3;1H")
          .redraw();
  for (const char* part :
       {"\x1b[?1049h", "\x1b[?1h", "\x1b[?2004h", "\x1b[?1002h", "\x1b[?1006h", "\x1b[?25l",
        "\x1b[6 q", "\x1b[0;1;31mred", "\x1b[0;48;2;1;2;3m ", "\x1b[0;4;38;5;200mx", "\x1b[3;1H"}) {
    EXPECT_NE(drawn.find(part), std::string::npos) << part + 1;
  }
  const std::string plain = after("$ ").redraw();
  EXPECT_EQ(plain.find("\x1b[?"), std::string::npos) << plain;
}

// Any bytes are handled, and a redrawn screen shows the same and is redrawn the same. The only
// exception is half a wide character: the emulator keeps it, but no terminal shows it.
RC_GTEST_PROP(Screen, RedrawnIsTheSame, ()) {
  const auto piece = rc::gen::elementOf(std::vector<std::string>{"a",
                                                                 "word ",
                                                                 "\xc3\xa9",
                                                                 "\r\n",
                                                                 "\r",
                                                                 "\n",
                                                                 "\b",
                                                                 "\t",
                                                                 "\x1b[2J",
                                                                 "\x1b[H",
                                                                 "\x1b[K",
                                                                 "\x1b[3;3H",
                                                                 "\x1b[31m",
                                                                 "\x1b[7m",
                                                                 "\x1b[0m",
                                                                 "\x1b[48;5;17m",
                                                                 "\x1b[?1049h",
                                                                 "\x1b[?1049l",
                                                                 "\x1b[?25l",
                                                                 "\x1b[2;4r",
                                                                 "\x1b[5A",
                                                                 "\x1b",
                                                                 "\x1b[",
                                                                 "\xff",
                                                                 "\x1b[999;999H"});
  const auto pieces = *rc::gen::container<std::vector<std::string>>(piece);
  std::string bytes;
  for (const std::string& p : pieces) bytes += p;
  Screen first = after(bytes);
  const std::string drawn = first.redraw();
  Screen second = after(drawn);
  RC_ASSERT(second.text() == first.text());
  RC_ASSERT(second.redraw() == drawn);
}

}  // namespace
}  // namespace drover::screen
