#include "cli/terminal/terminal_modes.h"

#include <gtest/gtest.h>

#include <array>

namespace drover::cli {
namespace {

// Every mode that was switched on is switched off, and no other, however the output is split.
TEST(TerminalModes, AreUndone) {
  struct Case {
    const char* printed;
    const char* undo;
  };
  for (const auto& [printed, undo] : std::to_array<Case>({
           {"", ""},
           {"plain text\r\n", ""},
           {"\x1b[31mred\x1b[0m", ""},
           {"\x1b[31mred", "\x1b[0m"},
           {"\x1b[?1049h", "\x1b[?1049l"},
           {"\x1b[?1049hx\x1b[?1049l", ""},
           {"\x1b[?25l", "\x1b[?25h"},
           {"\x1b[?25l\x1b[?25h", ""},
           {"\x1b[?1000;1006h", "\x1b[?1000l\x1b[?1006l"},
           {"\x1b[?1h\x1b=", "\x1b>\x1b[?1l"},
           {"\x1b[2;10r",
            "\x1b"
            "7\x1b[r\x1b"
            "8"},
           {"\x1b[2;10r\x1b[r", ""},
           {"\x1b[6 q", "\x1b[0 q"},
           {"\x1b[>4;2m", "\x1b[>4m"},
           {"\x1b[?1049h\x1b[31m\x1b"
            "c",
            ""},
           {"\x1b[>1u", "\x1b[<u"},
           {"\x1b[>1u\x1b[>5u\x1b[<u", "\x1b[<u"},
           {"\x1b[>1u\x1b[>5u\x1b[<9u", ""},
           {"\x1b[=5u", "\x1b[=0u"},
           {"\x1b[=5;1u\x1b[=0u", ""},
           {"\x1b[u", ""},
           {"\x1b[<u", ""},
           {"\x1b(0lqk", "\x1b(B"},
           {"\x1b(0lqk\x1b(B", ""},
           {"\x0elqk", "\x0f"},
           {"\x0elqk\x0f", ""},
           {"\x1b[4h", "\x1b[4l"},
           {"\x1b[4h\x1b[4l", ""},
           {"\x1b[?25", ""},
           {"\x1b[?9999999999999h", ""},
       })) {
    TerminalModes whole, cut;
    whole.see(printed);
    for (const char* c = printed; *c != '\0'; ++c) cut.see({c, 1});
    EXPECT_EQ(whole.undo(), undo) << ::testing::PrintToString(printed);
    EXPECT_EQ(cut.undo(), undo) << ::testing::PrintToString(printed);
  }
}

}  // namespace
}  // namespace drover::cli
