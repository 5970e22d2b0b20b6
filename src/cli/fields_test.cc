#include "cli/fields.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

namespace drover::cli {
namespace {

// S1: JSON controls no terminal, not even one that obeys 8-bit controls, and means the same.
TEST(JsonText, EscapesControls) {
  const std::string name =
      "a\xC2\x9B"
      "2J\xC2\x80 \xC2\x9F\xC2\xA0\xC3\x9B\xE2\x82\xAC\x1B[0m\x07";
  const std::string text = json_text(boost::json::object{{"name", name}});
  EXPECT_EQ(text,
            "{\"name\":\"a\\u009b2J\\u0080 \\u009f\xC2\xA0\xC3\x9B\xE2\x82\xAC\\u001b[0m"
            "\\u0007\"}");
  EXPECT_EQ(boost::json::parse(text).at("name").as_string(), name);
}

}  // namespace
}  // namespace drover::cli
