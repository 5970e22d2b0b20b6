#include "api/http/target.h"

#include <gtest/gtest.h>

namespace drover::api {
namespace {

// A target is parsed as browsers and curl write it.
TEST(Target, IsParsed) {
  EXPECT_EQ(path_of("/api/runs?x=1"), "/api/runs");
  EXPECT_EQ(path_of("http://drover/api/runs?x"), "/api/runs");
  EXPECT_EQ(path_of("http://drover"), "/");
  EXPECT_EQ(*query_of("/x?a=1&b=c%20d+e&&f&g=%3D"),
            (Query{{"a", "1"}, {"b", "c d e"}, {"f", ""}, {"g", "="}}));
  for (const char* broken : {"/x?a=%4", "/x?a=%", "/x?a=%zz", "/x?a=%4g"}) {
    ASSERT_FALSE(query_of(broken)) << broken;
    EXPECT_EQ(query_of(broken).error().param, "a");
  }
}

}  // namespace
}  // namespace drover::api
