#include "cli/terminal/detach_keys.h"

#include <gtest/gtest.h>

#include <array>

namespace drover::cli {
namespace {

DetachKeys keys(std::string_view text) {
  auto parsed = DetachKeys::parse(text);
  EXPECT_TRUE(parsed) << text;
  return parsed.value_or(DetachKeys{});
}

// The sequence detaches, however the input is split; any other input goes to the run completely.
TEST(DetachKeys, AreRecognized) {
  struct Case {
    const char* keys;
    const char* typed;
    const char* passed;
    bool detached;
  };
  for (const auto& [chosen, typed, passed, detached] : std::to_array<Case>({
           {"ctrl-p,ctrl-q", "ls\r", "ls\r", false},
           {"ctrl-p,ctrl-q", "\x10\x11", "", true},
           {"ctrl-p,ctrl-q",
            "a\x10\x11"
            "dropped",
            "a", true},
           {"ctrl-p,ctrl-q",
            "\x10"
            "a\x11",
            "\x10"
            "a\x11",
            false},
           {"ctrl-p,ctrl-q", "\x10\x10\x11", "\x10", true},
           {"ctrl-p,ctrl-q", "\x11\x10", "\x11\x10", false},
           {"ctrl-],d",
            "\x1d"
            "d",
            "", true},
           {"a,a,b", "aaab", "a", true},
           {"a,b,a,c", "ababac", "ab", true},
           {"", "\x10\x11", "\x10\x11", false},
           {"CTRL-P", "\x10", "", true},
       })) {
    DetachKeys at_once = keys(chosen);
    DetachKeys one_by_one = keys(chosen);
    std::string whole = at_once.pass(typed);
    std::string pieces;
    for (const char* c = typed; *c != '\0'; ++c) pieces += one_by_one.pass({c, 1});
    EXPECT_EQ(at_once.detached(), detached) << chosen;
    EXPECT_EQ(one_by_one.detached(), detached) << chosen;
    if (!detached) {  // Held keys are not lost.
      whole += at_once.flush();
      pieces += one_by_one.flush();
      EXPECT_FALSE(at_once.holds());
    }
    EXPECT_EQ(whole, passed) << chosen;
    EXPECT_EQ(pieces, passed) << chosen;
  }
}

// H6: invalid keys are refused.
TEST(DetachKeys, InvalidKeysAreRefused) {
  for (const char* bad :
       {"ctrl-", "ctrl-pp", "ctrl-1", "p,", ",p", "alt-x", "\x10", "a,b,c,d,e,f,g,h,i"}) {
    EXPECT_FALSE(DetachKeys::parse(bad)) << bad;
  }
}

}  // namespace
}  // namespace drover::cli
