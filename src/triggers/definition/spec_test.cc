// A spec is read strictly, and written as it was read.
#include "triggers/definition/spec.h"

#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>
#include <string>

namespace drover::triggers {
namespace {

constexpr WallMs kAnchor = 1'790'000'000'000;

std::string spec_of(std::string_view source, std::string_view more = "") {
  return R"({"name":"t","source":)" + std::string(source) + std::string(more) +
         R"(,"run":{"command":["x"],"cwd":"/"}})";
}
// The field at fault; empty: the spec is valid.
std::string fault(std::string_view source, std::string_view more = "") {
  const auto spec = read_spec(spec_of(source, more), kAnchor);
  return spec ? "" : spec.error().param;
}

constexpr const char* kEvery = R"({"type":"every","every":"1h"})";
constexpr const char* kEvent = R"({"type":"event","on":"a.b"})";

// A written spec is read again as the same, for each type of source.
TEST(TriggerSpecTest, IsWrittenAsItIsRead) {
  for (const std::string source : {
           R"({"type":"cron","cron":"0 3 * * *","tz":"Europe/Berlin"})",
           R"({"type":"every","every":"1h"})",
           R"({"type":"once","at":"2100-01-01T00:00:00Z"})",
           R"({"type":"file","root":"/x","globs":["*.c"]})",
           R"({"type":"webhook","path":"deploy","secret":"env:KEY"})",
           R"({"type":"feed","url":"https://x.example/feed"})",
           R"({"type":"page","url":"https://x.example/","selector":"p"})",
           R"({"type":"event","on":"deploy.*"})",
       }) {
    const auto first = read_spec(spec_of(source), kAnchor);
    ASSERT_TRUE(first) << source << ": " << first.error().message;
    EXPECT_NE(source.find("\"type\":\"" + std::string(source_type(first->source))),
              std::string::npos);
    const std::string written = boost::json::serialize(fields_of(*first));
    const auto second = read_spec(written, kAnchor);
    ASSERT_TRUE(second) << written << ": " << second.error().message;
    EXPECT_EQ(boost::json::serialize(fields_of(*second)), written);
  }
}

// The rules are written, too, except those that are the default.
TEST(TriggerSpecTest, WritesItsRules) {
  for (const std::string rules :
       {R"("jitter":"1m")", R"("missed":"all","missed_window":"1h")", R"("overlap":"queue")"}) {
    const auto spec = read_spec(spec_of(kEvery, "," + rules), kAnchor);
    ASSERT_TRUE(spec) << spec.error().message;
    EXPECT_NE(boost::json::serialize(fields_of(*spec)).find(rules), std::string::npos) << rules;
  }
  const auto spec = read_spec(spec_of(kEvent, R"(,"dedup":"1m")"), kAnchor);
  EXPECT_EQ(fields_of(*spec).at("dedup"), "1m");
  EXPECT_FALSE(fields_of(*spec).contains("missed"));
}

// A rule that the source cannot have is refused, not ignored; so is one that needs another.
TEST(TriggerSpecTest, RefusesRulesThatDoNotFit) {
  EXPECT_EQ(fault(kEvery, R"(,"missed":"skip","jitter":"1m")"), "");
  EXPECT_EQ(fault(kEvent, R"(,"filters":["payload.a eq 1"],"dedup":"1m")"), "");
  EXPECT_EQ(fault(kEvent, R"(,"missed":"skip")"), "missed");
  EXPECT_EQ(fault(kEvent, R"(,"jitter":"1m")"), "jitter");
  EXPECT_EQ(fault(kEvery, R"(,"dedup":"1m")"), "dedup");
  EXPECT_EQ(fault(kEvery, R"(,"filters":["payload.a eq 1"])"), "filters");
  EXPECT_EQ(fault(kEvery, R"(,"missed_window":"1h")"), "missed_window");
  EXPECT_EQ(fault(kEvery, R"(,"missed":"all","missed_window":"1h")"), "");
  EXPECT_EQ(fault(kEvery, R"(,"jitter":"25h")"), "jitter");
}

// The error names the field with its path.
TEST(TriggerSpecTest, NamesTheFieldAtFault) {
  EXPECT_EQ(fault(R"({"type":"every","every":"x"})"), "source.every");
  EXPECT_EQ(fault(R"({"type":"cron","cron":"never"})"), "source.cron");
  EXPECT_EQ(fault(kEvery, R"(,"overlap":"x")"), "overlap");
  EXPECT_EQ(read_spec(R"({"name":"t","run":{"command":["x"]}})", kAnchor).error().param, "source");
  EXPECT_EQ(read_spec("x", kAnchor).error().reason, "unreadable_trigger");
}

}  // namespace
}  // namespace drover::triggers
