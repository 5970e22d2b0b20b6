#include "triggers/poll/feed_time.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

namespace drover::triggers {
namespace {

std::string read(std::string_view text) {
  const auto time = parse_feed_time(text);
  return time ? rfc3339(*time) : "nothing";
}

// The forms that publishers use all mean the same instant.
TEST(FeedTime, ReadsWhatPublishersWrite) {
  for (const char* text :
       {"Wed, 18 Nov 2026 14:13:08 GMT", "18 Nov 2026 14:13:08 GMT", "Wed, 18 Nov 26 14:13:08 UT",
        "Wed,18 Nov 2026 14:13:08 +0000", "wednesday, 18 november 2026 14:13:08 Z",
        "Wed, 18 Nov 2026 15:13:08 +0100", "Wed, 18 Nov 2026 15:13:08 +01:00",
        "Wed, 18 Nov 2026 09:13:08 EST", "Wed, 18 Nov 2026 07:13:08 PDT",
        "  Wed, 18 Nov 2026 14:13:08 GMT\n", "2026-11-18T14:13:08Z", "2026-11-18T15:13:08+01:00",
        "2026-11-18 14:13:08", "2026-11-18T14:13:08", "2026-11-18T15:13:08+0100",
        "2026-11-18t14:13:08z", "Wed, 18 Nov 2026 14:13:08"}) {
    EXPECT_EQ(read(text), "2026-11-18T14:13:08.000Z") << text;
  }
  EXPECT_EQ(read("2026-11-18T14:13:08.25Z"), "2026-11-18T14:13:08.250Z");
  EXPECT_EQ(read("2026-11-18T14:13Z"), "2026-11-18T14:13:00.000Z");
  EXPECT_EQ(read("2026-11-18"), "2026-11-18T00:00:00.000Z");
  EXPECT_EQ(read("18 Nov 2026"), "2026-11-18T00:00:00.000Z");
  EXPECT_EQ(read("1 Jan 99 8:05 GMT"), "1999-01-01T08:05:00.000Z");
  EXPECT_EQ(read("Thu, 01 Jan 1960 00:00:00 GMT"), "1970-01-01T00:00:00.000Z");
}

// Anything else is not a time.
TEST(FeedTime, IgnoresOtherTexts) {
  for (const char* text :
       {"", " ", "today", "Wed,", "31 Feb 2026", "32 Nov 2026 14:13:08 GMT", "2026-13-01",
        "2026-1-1", "2026-11-18X14:13", "2026-11-18T25:00Z", "18 Nov", "18 Xyz 2026",
        "Wed, 18 Nov 2026 14", "1", "99999999999999999999 Nov 2026", "2026-11-18T14:13:08:09Z",
        "2026-11-18T"}) {
    EXPECT_EQ(read(text), "nothing") << text;
  }
  EXPECT_EQ(read(std::string(100'000, '9')), "nothing");
}

// No text makes it fail in another way.
RC_GTEST_PROP(FeedTime, SurvivesAnyText, ()) {
  const auto text = *rc::gen::container<std::string>(rc::gen::oneOf(
      rc::gen::arbitrary<char>(), rc::gen::elementOf(std::string("0123456789 :+-TZ.,NovGMT"))));
  const auto time = parse_feed_time(text);
  RC_ASSERT(time.value_or(0) >= 0);
}

}  // namespace
}  // namespace drover::triggers
