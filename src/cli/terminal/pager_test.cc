// When a page goes through a pager.
#include "cli/terminal/pager.h"

#include <gtest/gtest.h>

namespace drover::cli {
namespace {

const PagerSetting kSetting{.is_terminal = true, .rows = 3, .pager = "less"};

// A page goes through the pager if it has no row to spare for the prompt.
TEST(Pager, IsForPagesThatAreLongerThanTheTerminal) {
  EXPECT_FALSE(needs_pager("1\n2\n", kSetting));
  EXPECT_TRUE(needs_pager("1\n2\n3\n", kSetting));
}

// Never in a pipe, in a run, on a terminal without cursor movements, or against the user's wish.
TEST(Pager, IsForPeopleAlone) {
  const std::string page = "1\n2\n3\n4\n";
  for (const auto change :
       {+[](PagerSetting& s) { s.is_terminal = false; }, +[](PagerSetting& s) { s.rows = 0; },
        +[](PagerSetting& s) { s.in_run = true; }, +[](PagerSetting& s) { s.is_dumb = true; },
        +[](PagerSetting& s) { s.pager = ""; }, +[](PagerSetting& s) { s.pager = "  "; },
        +[](PagerSetting& s) { s.pager = "cat"; }}) {
    PagerSetting setting = kSetting;
    change(setting);
    EXPECT_FALSE(needs_pager(page, setting));
  }
}

}  // namespace
}  // namespace drover::cli
