#include "triggers/events/json_text.h"

#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>
#include <string>

namespace drover::triggers {
namespace {

namespace json = boost::json;

Result<json::value> read(std::string_view text) {
  return read_json(text, {.bytes_max = 100'000, .levels_max = 4}, "payload");
}

std::string nested(size_t levels) {
  return std::string(levels, '[') + std::string(levels, ']');
}

// Every kind of JSON value is read, with blanks around it.
TEST(JsonText, ReadsValues) {
  for (const char* text : {"null", "true", "\"a\\u00e9\\n\"", "-1", "18446744073709551615", "[]",
                           "{}", R"({"a":[1,{"b":"c"}],"d":null})"}) {
    EXPECT_EQ(read(" " + std::string(text) + "\n").value(), json::parse(text)) << text;
  }
  for (const char* bad : {"", " ", "{", "[1,]", "1 2", "nul", "{a:1}", "\"\xff\"", "'a'", "01",
                          "NaN", "/**/1", "\"\n\"", "{\"a\"}"}) {
    EXPECT_EQ(read(bad).error().reason, "invalid_json") << bad;
    EXPECT_EQ(read(bad).error().param, "payload") << bad;
  }
}

// A double is the nearest to its text, so that writing and reading it again changes nothing.
TEST(JsonText, ReadsDoublesExactly) {
  std::uint64_t state = 88172645463325252ULL;
  for (int i = 0; i < 2'000; ++i) {
    state ^= state << 13U;
    state ^= state >> 7U;
    state ^= state << 17U;
    const double number = static_cast<double>(state >> 11U) / 9007199254740992.0;
    const std::string text = json::serialize(json::value(number));
    EXPECT_EQ(read(text)->get_double(), number) << text;
    EXPECT_EQ(read("[" + text + "]")->at(0).get_double(), number) << text;
  }
  EXPECT_EQ(read("18446744073709551616")->get_double(), 18446744073709551616.0);
  EXPECT_EQ(read("1e-400")->get_double(), 0.0);
  EXPECT_EQ(read("[1.5,2,-0.25]").value(), json::value({1.5, 2, -0.25}));
}

// A number that boost::json could not write again is refused.
TEST(JsonText, RefusesInfinity) {
  for (const char* text : {"1e400", "-1e400", "[1e309]", "1e99999999999999", "1.8e308"}) {
    EXPECT_EQ(read(text).error().reason, "number_out_of_range") << text;
  }
  EXPECT_TRUE(read("1.7976931348623157e308"));
}

// Deep text is refused while it is read; 10,000 levels and more cost no stack.
TEST(JsonText, RefusesDeepNesting) {
  EXPECT_TRUE(read(nested(4)));
  for (const size_t levels : {5U, 10'000U, 50'000U}) {
    EXPECT_EQ(read(nested(levels)).error().reason, "too_deep") << levels;
  }
  std::string objects;
  for (int i = 0; i < 10'000; ++i) objects += R"({"a":)";
  EXPECT_EQ(read(objects).error().reason, "too_deep");
}

// Text beyond the size limit is refused before it is read, and with a code of its own.
TEST(JsonText, RefusesLargeText) {
  EXPECT_TRUE(read("\"" + std::string(99'998, 'x') + "\""));
  const auto refused = read("\"" + std::string(99'999, 'x') + "\"");
  EXPECT_EQ(refused.error().reason, "too_large");
  EXPECT_EQ(refused.error().code, ErrorCode::exhausted);
}

// The text of a member is found as it was sent, whatever stands before it.
TEST(JsonText, FindsTheTextOfAMember) {
  EXPECT_EQ(raw_member(R"({"payload":1.50})", "payload"), "1.50");
  EXPECT_EQ(raw_member(R"( { "a" : "payload" , "payload" : { "x" : [ 1 ] } } )", "payload"),
            R"( { "x" : [ 1 ] } )");
  EXPECT_EQ(raw_member(R"({"a":{"payload":1},"b":["payload",":",{"payload":2}]})", "payload"),
            std::nullopt);
  EXPECT_EQ(raw_member(R"({"a":"\"payload\":1,","payload":"}\\","z":0})", "payload"), R"("}\\")");
  EXPECT_EQ(raw_member(R"({"payload":1,"payload":2})", "payload"), "2");
  EXPECT_EQ(raw_member("{}", "payload"), std::nullopt);
}

}  // namespace
}  // namespace drover::triggers
