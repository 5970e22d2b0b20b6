#include "config/dots.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace drover::config {
namespace {

// Only what toml++ takes for a key's dot is counted, however text ends.
TEST(Dots, OutsideText) {
  for (const auto& [toml, dots] :
       std::vector<std::pair<std::string, size_t>>{{"", 0},
                                                   {"a.b.c = 1.5", 3},
                                                   {R"(a = "x.y" # z.)", 0},
                                                   {R"(a = "x.\".y")", 0},
                                                   {R"(a = 'x.\' . '.')", 1},
                                                   {R"(a = "" . "")", 1},
                                                   {R"("a.b".c = 1)", 1},
                                                   {"a = \"\"\"x.\n.\"\".\"\"\" .", 1},
                                                   {R"(a = """.""""". )", 1},
                                                   {"a = '''.\n.''.''' .", 1},
                                                   {"a = '''.''''.", 1},
                                                   {R"(a = """x\"""." """ .)", 1},
                                                   {"a = \"x.\nb.c = 1", 1},
                                                   {"# a.b\nc.d = 1", 1},
                                                   {"a = \"", 0},
                                                   {"a = \"\"\"...", 0},
                                                   {"a = \"x\\", 0}}) {
    EXPECT_EQ(dots_outside_text(toml), dots) << toml;
  }
}

}  // namespace
}  // namespace drover::config
