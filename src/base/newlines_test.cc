#include "base/newlines.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace drover {
namespace {

// Texts of every length around the width of a vector, and longer than a byte can count.
TEST(Newlines, AreCountedAtEveryPlace) {
  for (const size_t length : {0UL, 1UL, 31UL, 32UL, 33UL, 64UL, 65UL, 8'160UL, 8'161UL, 99'999UL}) {
    const std::string none(length, 'x');
    EXPECT_EQ(count_newlines(none), 0u) << length;
    EXPECT_EQ(count_newlines(std::string(length, '\n')), length);
    for (size_t at = 0; at < std::min<size_t>(length, 200); ++at) {
      std::string one = none;
      one[at] = '\n';
      one[length - 1 - at] = '\n';
      EXPECT_EQ(count_newlines(one), at == length - 1 - at ? 1u : 2u) << length << " at " << at;
    }
  }
}

}  // namespace
}  // namespace drover
