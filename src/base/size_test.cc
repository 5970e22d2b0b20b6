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
  for (const char* bad : {"",
                          "M",
                          "512m",
                          "512mb",
                          "512Mb",
                          "-1",
                          "+1",
                          "-1.5G",
                          " 1",
                          "1 M",
                          "1Mi",
                          "1B",
                          "1MBB",
                          "0x10",
                          "1.5",
                          "1.G",
                          ".5G",
                          "1.5.2G",
                          "1,5G",
                          "1G512M",
                          "1.0000001G",
                          "0.0001K",
                          "junk",
                          "99999999999999999999",
                          "18446744073709551615K",
                          "17592186044416T",
                          "16777216.5T"}) {
    const auto size = parse_size(bad, "memory");
    ASSERT_FALSE(size) << bad;
    EXPECT_EQ(size.error().param, "memory");
    EXPECT_TRUE(size.error().message.starts_with("invalid size \"")) << size.error().message;
  }
}

// A unit means the same however it is spelled; a part of a byte is rounded down.
TEST(Size, TakesDecimalsAndEverySpelling) {
  for (const char* same : {"2G", "2GB", "2GiB", "2.0G", "2048M", "2097152K"}) {
    EXPECT_EQ(parse_size(same, "memory"), 2ULL << 30) << same;
  }
  EXPECT_EQ(parse_size("500MB", "memory"), 500ULL << 20);
  EXPECT_EQ(parse_size("1.5G", "memory"), 1536ULL << 20);
  EXPECT_EQ(parse_size("0.1K", "memory"), 102U);
  EXPECT_EQ(parse_size("0.0K", "memory"), 0U);
  EXPECT_EQ(parse_size("16777215.5T", "memory"), (1ULL << 39) + (16777215ULL << 40));
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
