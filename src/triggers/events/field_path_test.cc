#include "triggers/events/field_path.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include "triggers/events/limits.h"

namespace drover::triggers {
namespace {

class FieldPaths : public ::testing::Test {
 protected:
  // The JSON at `path`, or "missing".
  std::string at(std::string_view path) const {
    const auto* found = FieldPath::parse(path, "filter").value().find_in(document);
    return found == nullptr ? "missing" : boost::json::serialize(*found);
  }
  const boost::json::value document = boost::json::parse(
      R"({"type":"a","payload":{"size":7,"none":null,"a.b":{"c\\d":1},"0":"key",)"
      R"("commits":[{"id":"x"},{"id":"y"}],"é":2,"long":[0,1,2,3,4,5,6,7,8,9,10]}})");
};

// Keys, indices and escaped dots lead to values; a null is a value.
TEST_F(FieldPaths, FindValues) {
  EXPECT_EQ(at("type"), R"("a")");
  EXPECT_EQ(at("payload.size"), "7");
  EXPECT_EQ(at("payload.none"), "null");
  EXPECT_EQ(at("payload.commits.1.id"), R"("y")");
  EXPECT_EQ(at("payload.long.10"), "10");
  EXPECT_EQ(at("payload.0"), R"("key")");
  EXPECT_EQ(at("payload.é"), "2");
  EXPECT_EQ(at(R"(payload.a\.b.c\\d)"), "1");
}

// A path that leads nowhere finds nothing.
TEST_F(FieldPaths, MissValues) {
  for (const char* path :
       {"nothing", "payload.a.b", "payload.size.x", "payload.none.x", "payload.commits.2",
        "payload.commits.00", "payload.commits.-1", "payload.commits.+1", "payload.commits.x",
        "payload.commits.1x", "payload.commits.99999999999999999999", "type.0", "Payload"}) {
    EXPECT_EQ(at(path), "missing") << path;
  }
}

// A path that no document can have is refused where it is written.
TEST_F(FieldPaths, RefuseNonsense) {
  for (const char* bad : {"", ".", "a.", ".a", "a..b", "a\\", "a\\n", "\xff"}) {
    EXPECT_EQ(FieldPath::parse(bad, "filter").error().reason, "invalid_path") << bad;
    EXPECT_EQ(FieldPath::parse(bad, "filter").error().param, "filter") << bad;
  }
  EXPECT_FALSE(FieldPath::parse(std::string(kFilterFieldBytesMax + 1, 'a'), "filter"));
  std::string deep = "a";
  for (size_t i = 1; i < kFilterFieldPartsMax; ++i) deep += ".a";
  EXPECT_TRUE(FieldPath::parse(deep, "filter"));
  EXPECT_FALSE(FieldPath::parse(deep + ".a", "filter"));
}

}  // namespace
}  // namespace drover::triggers
