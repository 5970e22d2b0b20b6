#include "config/outside_text.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace drover::config {
namespace {

// Counts exactly the dots that toml++ takes for those of keys, however texts end.
TEST(OutsideText, CountsTheDotsOfKeys) {
  for (const auto& [toml, dots] : std::vector<std::pair<std::string, size_t>>{
           {"", 0},
           {"a.b.c = 1.5\nd.e = 07:32:00.9\n[f.g]\n[[h.i]]", 5},
           {R"(a = "x.y" # z.)", 0},
           {R"(a = "x.\".y")", 0},
           {R"('x.\' . '.')", 1},
           {R"("" . "")", 1},
           {R"("a.b".c = 1)", 1},
           {"\"\"\"x.\n.\"\".\"\"\" .", 1},
           {R"(""".""""". )", 1},
           {"'''.\n.''.''' .", 1},
           {"'''.''''.", 1},
           {R"("""x\"""." """ .)", 1},
           {"a = \"x.\nb.c = 1", 1},
           {"a = [1.5, {b.c = 1.5, d.e = [2.5]}, "
            "[{f.g = 1}, 3.5],\n 4.5]\nh.i = 5.5",
            4},
           {"a = {}\nb.c = {d = 1, 'e'.f = 2.5}\n1.5 = 1", 3},
           {"# a.b\nc.d = 1", 1},
           {"a = \"", 0},
           {"a = \"\"\"...", 0},
           {"a = \"x\\", 0}}) {
    EXPECT_EQ(look_outside_text(toml).dots, dots) << toml;
  }
}

// A character that is not ASCII is reported with its line, unless it is in a text or comment.
TEST(OutsideText, FindsCharactersThatAreNotAscii) {
  for (const auto& [toml, line] : std::vector<std::pair<std::string, std::optional<size_t>>>{
           {"a = \"ü\" # ü\n'ü'.b = '''\nü'''\n", std::nullopt},
           {"\xEF\xBB\xBF"
            "a = 1",
            std::nullopt},
           {"a = 1\nü = 1", 2},
           {"a = \"x\"ü", 1},
           {"\xCD\x8E", 1}}) {
    EXPECT_EQ(look_outside_text(toml).foreign_line, line) << toml;
  }
}

}  // namespace
}  // namespace drover::config
