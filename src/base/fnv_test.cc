#include "base/fnv.h"

#include <gtest/gtest.h>

namespace drover {
namespace {

// It matches the published test values: journals of every release contain these checksums.
TEST(Fnv, MatchesThePublishedValues) {
  EXPECT_EQ(fnv(""), 0xcbf29ce484222325ULL);
  EXPECT_EQ(fnv("a"), 0xaf63dc4c8601ec8cULL);
  EXPECT_EQ(fnv("foobar"), 0x85944171f73967e8ULL);
  EXPECT_EQ(fnv("\xff"), fnv_add(kFnvBegin, 255));
}

}  // namespace
}  // namespace drover
