#include "triggers/events/event_type.h"

#include <gtest/gtest.h>

#include <string>

#include "triggers/events/limits.h"

namespace drover::triggers {
namespace {

// An event type is lower-case words separated by dots.
TEST(EventType, IsDottedWords) {
  for (const char* good :
       {"deploy", "run.completed", "custom.deploy-2.eu_west", "a.b.c.d.e.f.g.h"}) {
    EXPECT_TRUE(check_event_type(good, "type")) << good;
  }
  for (const char* bad : {"", ".", "a.", ".a", "a..b", "Run.completed", "run completed", "1.a",
                          "a.1", "a.*", "*", "a/b", "é", "_a", "-", "a\n", "a.b\t"}) {
    EXPECT_EQ(check_event_type(bad, "type").error().reason, "invalid_type") << bad;
    EXPECT_EQ(check_event_type(bad, "type").error().param, "type") << bad;
  }
  EXPECT_EQ(check_event_type(std::string_view("a\0b", 3), "type").error().reason, "invalid_type");
}

// Its length and its number of words are limited.
TEST(EventType, HasLimits) {
  EXPECT_TRUE(check_event_type(std::string(kEventTypeBytesMax, 'a'), "type"));
  EXPECT_EQ(check_event_type(std::string(kEventTypeBytesMax + 1, 'a'), "type").error().reason,
            "too_long");
  EXPECT_EQ(check_event_type("a.b.c.d.e.f.g.h.i", "type").error().reason, "too_many_words");
}

// A program cannot post an event that Drover alone produces.
TEST(EventType, ReservesDroversOwn) {
  for (const char* own : {"run", "run.completed", "trigger.fired", "file.changed", "play.step"}) {
    EXPECT_TRUE(check_event_type(own, "type")) << own;
    EXPECT_EQ(check_posted_type(own, "type").error().reason, "reserved_type") << own;
  }
  for (const char* free : {"custom.deploy", "deploy.done", "runs.nightly", "custom.run"}) {
    EXPECT_TRUE(check_posted_type(free, "type")) << free;
  }
  EXPECT_EQ(check_posted_type("A", "type").error().reason, "invalid_type");
}

}  // namespace
}  // namespace drover::triggers
