#include "triggers/hooks/path.h"

#include <gtest/gtest.h>

#include <string>

#include "triggers/hooks/limits.h"

namespace drover::triggers {
namespace {

// Hook paths as people write them.
TEST(HookPath, AcceptsSegments) {
  for (const char* good : {"deploy", "team/deploy", "a/b/c", "v1.2/x_y-z", "A9", ".hidden", "a."}) {
    EXPECT_TRUE(check_hook_path(good, "webhook")) << good;
  }
  EXPECT_TRUE(check_hook_path(std::string(kHookPathBytesMax, 'a'), "webhook"));
  EXPECT_TRUE(check_hook_path("a/b/c/d/e/f/g/h", "webhook"));
}

// Paths that a proxy or a client may rewrite, or that a URL cannot contain, are refused.
TEST(HookPath, RefusesOtherPaths) {
  for (const char* bad : {"",       "/",    "/deploy", "deploy/", "a//b", "..",    "../a", "a/..",
                          "a/../b", "a..b", ".",       "./a",     "a/.",  "a/./b", "a b",  "a%2Fb",
                          "a?b",    "a#b",  "a\\b",    "é",       "a\n",  "a:b",   "~a"}) {
    EXPECT_EQ(check_hook_path(bad, "webhook").error().reason, "invalid_hook_path") << bad;
    EXPECT_EQ(check_hook_path(bad, "webhook").error().param, "webhook") << bad;
  }
  EXPECT_FALSE(check_hook_path(std::string(kHookPathBytesMax + 1, 'a'), "webhook"));
  EXPECT_FALSE(check_hook_path("a/b/c/d/e/f/g/h/i", "webhook"));
  EXPECT_FALSE(check_hook_path(std::string_view("a\0b", 3), "webhook"));
}

}  // namespace
}  // namespace drover::triggers
