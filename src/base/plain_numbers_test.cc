#include "base/plain_numbers.h"

#include <gtest/gtest.h>

namespace drover {
namespace {

// Numbers are written plainly; text that looks like a number is unchanged.
TEST(PlainNumbers, OnlyNumbersChange) {
  for (const auto& [json, plain] : {
           std::pair(R"({"cpus":1.5E0,"x":[1E-2,-2.5E-1,12]})",
                     R"({"cpus":1.5,"x":[0.01,-0.25,12]})"),
           std::pair(R"({"E":"1.5E0","a\"1.5E0":4E0})", R"({"E":"1.5E0","a\"1.5E0":4})"),
           std::pair(R"(["\\",1.5E0,"\\\"2E0"])", R"(["\\",1.5,"\\\"2E0"])"),
           std::pair(R"({"n":123456789012345678,"E":null})",
                     R"({"n":123456789012345678,"E":null})"),
           std::pair(R"([1E300])", R"([1e+300])"),
           std::pair("", ""),
       }) {
    EXPECT_EQ(plain_numbers(json), plain);
  }
}

}  // namespace
}  // namespace drover
