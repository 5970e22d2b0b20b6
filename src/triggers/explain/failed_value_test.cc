// The value that made a filter skip an event.
#include "triggers/explain/failed_value.h"

#include <gtest/gtest.h>

#include <string>

namespace drover::triggers {
namespace {

std::optional<boost::json::value> value(std::string reason, std::string event) {
  return failed_value({.key = "evt_1",
                       .outcome = Outcome::skipped,
                       .reason = std::move(reason),
                       .event = std::move(event)});
}

constexpr const char* kReason = R"(filter: filter payload.ref eq "a b": it does not hold)";

// The value has the type that it has in the event.
TEST(FailedValue, IsThatOfTheEvent) {
  EXPECT_EQ(value(kReason, R"({"payload": {"ref": "next"}})"), boost::json::value("next"));
  EXPECT_EQ(value(kReason, R"({"payload": {"ref": [1, null]}})"), boost::json::value({1, nullptr}));
}

// Without a filter in the reason, the field in the event, or the whole event, there is none.
TEST(FailedValue, IsNotGuessed) {
  EXPECT_FALSE(value("paused", R"({"payload": {"ref": "next"}})"));
  EXPECT_FALSE(value(kReason, R"({"payload": {}})"));
  EXPECT_FALSE(value(kReason, R"({"truncated":true})"));
  EXPECT_FALSE(value(kReason, ""));
  EXPECT_FALSE(value("filter: filter payload.a b eq 1: it does not hold",
                     R"({"payload": {"a": "of another field", "a b": 2}})"));
}

// A long value is cut.
TEST(FailedValue, IsBounded) {
  const auto cut = value(kReason, R"({"payload": {"ref": ")" + std::string(10'000, 'x') + R"("}})");
  ASSERT_TRUE(cut);
  EXPECT_LT(cut->as_string().size(), 300);
}

}  // namespace
}  // namespace drover::triggers
