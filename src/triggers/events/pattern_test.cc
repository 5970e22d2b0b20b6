#include "triggers/events/pattern.h"

#include <gtest/gtest.h>

namespace drover::triggers {
namespace {

EventPattern pattern(std::string_view text) {
  return EventPattern::parse(text, "on").value();
}

// A type matches itself alone; a prefix matches the types below it.
TEST(EventPattern, MatchesATypeOrAPrefix) {
  EXPECT_TRUE(pattern("custom.deploy").matches("custom.deploy"));
  EXPECT_FALSE(pattern("custom.deploy").matches("custom.deploy.eu"));
  EXPECT_FALSE(pattern("custom.deploy").matches("custom"));
  EXPECT_TRUE(pattern("run.*").matches("run.completed"));
  EXPECT_TRUE(pattern("run.*").matches("run.a.b"));
  for (const char* other : {"run", "run.", "runs.a", "play.run.a", ""}) {
    EXPECT_FALSE(pattern("run.*").matches(other)) << other;
  }
  EXPECT_TRUE(pattern("play.step.*").matches("play.step.done"));
  EXPECT_FALSE(pattern("play.step.*").matches("play.changed"));
}

// The text of a pattern is the text that it was parsed from.
TEST(EventPattern, KeepsItsText) {
  for (const char* text : {"run.*", "custom.deploy", "a"}) EXPECT_EQ(pattern(text).text(), text);
}

// A pattern that cannot match, or that matches every event, is refused.
TEST(EventPattern, RefusesOtherPatterns) {
  EXPECT_EQ(EventPattern::parse("*", "on").error().reason, "pattern_too_wide");
  for (const char* bad : {"run*", "*.completed", "run.*.x", "**", "run.**", "*.*"}) {
    EXPECT_EQ(EventPattern::parse(bad, "on").error().reason, "invalid_pattern") << bad;
  }
  for (const char* bad : {"", "Run.*", "run..*", "run.", "a b"}) {
    EXPECT_EQ(EventPattern::parse(bad, "on").error().reason, "invalid_type") << bad;
    EXPECT_EQ(EventPattern::parse(bad, "on").error().param, "on") << bad;
  }
}

}  // namespace
}  // namespace drover::triggers
