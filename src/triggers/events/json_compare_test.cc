#include "triggers/events/json_compare.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <boost/json/parse.hpp>
#include <string>
#include <vector>

namespace drover::triggers {
namespace {

namespace json = boost::json;

bool equal(std::string_view a, std::string_view b) {
  const bool one = is_equal(json::parse(a), json::parse(b));
  EXPECT_EQ(one, is_equal(json::parse(b), json::parse(a))) << a << " and " << b;
  return one;
}

// Equal values have one kind; numbers are one kind, and the order of members does not matter.
TEST(JsonCompare, FindsEqualValues) {
  for (const auto& [a, b] : std::vector<std::pair<const char*, const char*>>{
           {"1", "1.0"},
           {"0", "-0.0"},
           {"18446744073709551615", "18446744073709551615"},
           {"null", "null"},
           {R"("é")", R"("\u00e9")"},
           {R"({"a":1,"b":[2]})", R"({"b":[2.0],"a":1})"}}) {
    EXPECT_TRUE(equal(a, b)) << a << " and " << b;
  }
  for (const auto& [a, b] :
       std::vector<std::pair<const char*, const char*>>{{"1", R"("1")"},
                                                        {"0", "false"},
                                                        {"0", "null"},
                                                        {"1", "true"},
                                                        {"null", R"("")"},
                                                        {"[]", "{}"},
                                                        {"[1]", "[1,1]"},
                                                        {"[1,2]", "[2,1]"},
                                                        {R"({"a":1})", R"({"a":1,"b":1})"},
                                                        {R"({"a":1})", R"({"b":1})"},
                                                        {R"("a")", R"("A")"}}) {
    EXPECT_FALSE(equal(a, b)) << a << " and " << b;
  }
}

// Numbers that are different differ, also beyond the precision of doubles.
TEST(JsonCompare, OrdersNumbersExactly) {
  const std::vector<json::value> ascending = {
      -1e300,
      -9223372036854777856.0,
      INT64_MIN,
      -9007199254740993,
      -9007199254740992.0,
      -1.5,
      -1,
      -0.5,
      0,
      5e-324,
      0.5,
      1,
      1.5,
      2U,
      9007199254740992.0,
      9007199254740993,
      INT64_MAX,
      9223372036854775808.0,
      9223372036854775809U,
      18446744073709549568.0,
      UINT64_MAX,
      18446744073709551616.0,
      1e300,
  };
  for (size_t i = 0; i < ascending.size(); ++i) {
    for (size_t j = 0; j < ascending.size(); ++j) {
      EXPECT_EQ(order(ascending[i], ascending[j]), i <=> j) << ascending[i] << " " << ascending[j];
    }
  }
  EXPECT_EQ(order(json::value(INT64_MIN), json::value(-9223372036854775808.0)), 0 <=> 0);
}

// Text has an order too; values of different kinds, and all others, have none.
TEST(JsonCompare, OrdersTextAndNothingElse) {
  EXPECT_EQ(order("2026-11-15T09:58:25.123Z", "2026-11-15T10:00:00.000Z"), 1 <=> 2);
  EXPECT_EQ(order("b", "a"), 2 <=> 1);
  EXPECT_EQ(order("", ""), 1 <=> 1);
  EXPECT_EQ(order("é", "z"), 2 <=> 1);
  EXPECT_EQ(order(json::value(1), json::value("1")), std::nullopt);
  EXPECT_EQ(order(json::value(true), json::value(false)), std::nullopt);
  EXPECT_EQ(order(json::value(nullptr), json::value(nullptr)), std::nullopt);
  EXPECT_EQ(order(json::array{1}, json::array{2}), std::nullopt);
}

// An integer compares with a double as with the integer that the double is.
RC_GTEST_PROP(JsonCompareProperty, AgreesWithWideIntegers, (std::int64_t a, std::int64_t near)) {
  // `near` is converted with a loss; the wide integer has exactly the value of the double.
  const auto b = static_cast<double>(near);
  const auto wide = static_cast<__int128>(b);
  const auto expected = static_cast<__int128>(a) <=> wide;
  RC_ASSERT(order(json::value(a), json::value(b)) == expected);
  RC_ASSERT(order(json::value(b), json::value(a)) == (0 <=> expected));
}

}  // namespace
}  // namespace drover::triggers
