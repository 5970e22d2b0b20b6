#include "base/plain_text.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace drover {
namespace {

std::string plain(std::string_view bytes) {
  PlainText text;
  std::string out = text.pass(bytes);
  return out + text.finish();
}

// R11: the result is what a person would have read.
TEST(PlainText, IsWhatAPersonWouldRead) {
  struct Case {
    std::string_view bytes, text;
  };
  for (const auto& [bytes, text] : std::to_array<Case>({
           {"", ""},
           {"one\ntwo\n", "one\ntwo\n"},
           {"one\r\n\r\ntwo\r\n", "one\n\ntwo\n"},
           {"\n\n", "\n\n"},
           {"no end", "no end"},
           {"\x1b[1;31mred\x1b[0m\n", "red\n"},
           {"\x1b]0;a title\x07text\n", "text\n"},
           {"\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\\n", "link\n"},
           {"\x1b(Bx\x1b=y\x1b>z\n", "xyz\n"},
           {"10%\r20%\r100%\n", "100%\n"},
           {"long line\rshort\n", "shortline\n"},
           {"long line\r\x1b[Kshort\n", "short\n"},
           {"abc\b\bX\n", "aXc\n"},
           {"ls -lx\b\x1b[K\b\x1b[Ka\n", "ls -a\n"},
           {"abcd\x1b[3D\x1b[P\n", "acd\n"},
           {"ad\x1b[D\x1b[2@bc\n", "abcd\n"},
           {"a\x1b[3Cb\x1b[2Gc\n", "ac  b\n"},
           {"one\x1b[2;1Htwo\n", "one\ntwo\n"},
           {"\x1b[H\x1b[2Jclear\n", "clear\n"},
           {"tab\tand bell\x07\n", "tab\tand bell\n"},
           {"gr\xc3\xbc\xc3\x9f\r\xc3\x96\n", "\xc3\x96r\xc3\xbc\xc3\x9f\n"},
           {"bad \xff\xfe bytes\n", "bad \xff\xfe bytes\n"},
           {"cut\x1b[31", "cut"},
           {"\x1b[\nnext\n", "\nnext\n"},
           {"\x1b\x1b[1mx\n", "x\n"},
       })) {
    EXPECT_EQ(plain(bytes), text) << ::testing::PrintToString(std::string(bytes));
  }
}

// The text does not depend on how the bytes are cut, and contains no terminal control.
RC_GTEST_PROP(PlainText, DoesNotDependOnTheCut, ()) {
  const auto piece = rc::gen::elementOf(
      std::vector<std::string>{"a",           "bc ",          "\xc3\xbc", "\n",      "\r",
                               "\r\n",        "\b",           "\t",       "\x1b",    "[",
                               "]",           "\x1b[31m",     "\x1b[K",   "\x1b[2K", "\x1b[1K",
                               "\x1b[5C",     "\x1b[2D",      "\x1b[P",   "\x1b[3@", "\x1b[9G",
                               "\x07",        "\x1b]0;t\x07", "\x1b[H",   "\xff",    "\x1b\\",
                               "999999999999"});
  std::string bytes;
  for (const auto& p : *rc::gen::container<std::vector<std::string>>(piece)) bytes += p;
  PlainText by_byte;
  std::string cut;
  for (const char c : bytes) cut += by_byte.pass({&c, 1});
  cut += by_byte.finish();
  const std::string whole = plain(bytes);
  RC_ASSERT(cut == whole);
  for (const char c : whole) {
    RC_ASSERT(static_cast<unsigned char>(c) >= ' ' || c == '\n' || c == '\t');
  }
}

// A line or a title without an end stays bounded.
TEST(PlainText, IsBounded) {
  PlainText text;
  const std::string out = text.pass(std::string(200'000, 'x'));
  EXPECT_GE(out.size(), 130'000U);
  EXPECT_EQ(
      plain("\x1b]0;" + std::string(20'000, 't') + "\nseen\n").find("seen") == std::string::npos,
      false);
}

}  // namespace
}  // namespace drover
