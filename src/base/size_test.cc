#include "base/size.h"

#include <gtest/gtest.h>

namespace drover {
namespace {

// A size is unambiguous or refused; the error names the field.
TEST(Size, IsParsedStrictly) {
  EXPECT_EQ(parse_size("0", "memory"), 0U);
  EXPECT_EQ(parse_size("4096", "memory"), 4096U);
  EXPECT_EQ(parse_size("512M", "memory"), 512U << 20);
  EXPECT_EQ(parse_size("1GiB", "memory"), 1U << 30);
  EXPECT_EQ(parse_size("3T", "memory"), 3ULL << 40);
  for (const char* bad : {"", "M", "512m", "512MB", "1.5G", "-1", "+1", " 1", "1 M", "1Mi", "0x10",
                          "99999999999999999999", "18446744073709551615K", "17592186044416T"}) {
    const auto size = parse_size(bad, "memory");
    ASSERT_FALSE(size) << bad;
    EXPECT_EQ(size.error().param, "memory");
  }
}

// A printed size is parsed as the same size.
TEST(Size, RoundTrips) {
  EXPECT_EQ(format_size(536870912), "512M");
  EXPECT_EQ(format_size(1000), "1000");
  for (const std::uint64_t bytes : {0ULL, 1ULL, 1024ULL, 1025ULL, 3ULL << 40, 5ULL << 52}) {
    EXPECT_EQ(parse_size(format_size(bytes), "x"), bytes);
  }
}

}  // namespace
}  // namespace drover
