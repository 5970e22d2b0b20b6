#include "triggers/time/zone.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "testing/plain_words.h"
#include "triggers/time/libc_zone_fixture.h"
#include "triggers/time/similar_names.h"
#include "triggers/time/zone_rule.h"

namespace drover::triggers {
namespace {

constexpr UnixS k1990 = 631'152'000;
constexpr UnixS k2100 = 4'102'444'800;

// Without a name it is UTC, and a handle that was found twice is the same zone.
TEST(Zone, IsUtcUnlessNamed) {
  EXPECT_EQ(find_zone("")->name(), "UTC");
  EXPECT_EQ(*find_zone("UTC"), Zone());
  EXPECT_EQ(&find_zone("Europe/Berlin")->offsets(), &find_zone("Europe/Berlin")->offsets());
}

// An unknown name is refused with the names that are most similar.
TEST(Zone, SuggestsNamesForAnUnknownOne) {
  const auto message = [](std::string_view name) {
    const auto zone = find_zone(name);
    EXPECT_FALSE(zone) << name;
    if (zone) return std::string();
    EXPECT_EQ(zone.error().reason, "unknown_zone");
    EXPECT_EQ(zone.error().param, "tz");
    EXPECT_EQ(testing::violations(zone.error().message), std::vector<std::string>{});
    return zone.error().message;
  };
  EXPECT_EQ(message("Europe/Berln"),
            "unknown time zone \"Europe/Berln\": use a name of the tz database, such as "
            "Europe/Berlin; did you mean Europe/Berlin?");
  EXPECT_TRUE(message("europe/berlin").contains("did you mean Europe/Berlin"));
  EXPECT_TRUE(message("new york").contains("America/New_York"));
  EXPECT_TRUE(message("Tokio").contains("Asia/Tokyo"));
  EXPECT_FALSE(message("Middle/Earth/Hobbiton").contains("did you mean"));
  message("../../../etc/passwd");
  message("localtime");
  message("Europe");
  message("Europe/Berlin/");
  message(std::string(10'000, 'x'));
  message(std::string("Europe/Berlin\0", 14));
}

// In every zone of the database our offsets are those of the C library, from 1990 to 2100: at
// random instants, and on both sides of each change. The years from 2038 on come from the zone's
// rule.
TEST(Zone, AgreesWithTheCLibraryEverywhere) {
  const std::vector<std::string> names = zone_names();
  ASSERT_GT(names.size(), 400U);
  std::mt19937_64 random(1);
  std::uniform_int_distribution<UnixS> anytime(k1990, k2100);
  size_t changes = 0;
  for (const std::string& name : names) {
    const LibcZone libc(name);
    const auto zone = find_zone(name);
    ASSERT_TRUE(zone) << zone.error().message;
    const auto spans = zone->offsets().spans();
    const auto check = [&](UnixS at) {
      ASSERT_EQ(spans[zone->offsets().index_at(at)].offset_s, libc.offset_s(at))
          << name << " " << at;
    };
    for (int i = 0; i < 100; ++i) check(anytime(random));
    for (const Offsets::Span& span : spans) {
      if (span.begin < k1990 || span.begin > k2100) continue;
      check(span.begin - 1);
      check(span.begin);
      ++changes;
    }
  }
  EXPECT_GT(changes, 10'000U);
}

// A rule gives the two changes of a year in order, north and south of the equator.
TEST(ZoneRule, GivesTheChangesOfAYear) {
  const auto check = [](std::string_view text, int year, UnixS first, UnixS second) {
    const auto rule = parse_zone_rule(text);
    ASSERT_TRUE(rule) << text;
    EXPECT_EQ(rule->changes(year)[0].at, first) << text;
    EXPECT_EQ(rule->changes(year)[1].at, second) << text;
  };
  check("CET-1CEST,M3.5.0,M10.5.0/3", 2026, 1'774'746'000, 1'792'890'000);
  check("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", 2026, 1'775'314'800, 1'791'041'400);
  check("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", 2026, 1'774'746'000, 1'792'890'000);
  // March 1 and the last day of the year, of 2024, a leap year: J skips February 29.
  check("A0B,J60/0,J365/0", 2024, 1'709'251'200, 1'735'599'600);
  check("A0B,60/0,365/0", 2024, 1'709'251'200, 1'735'599'600);
}

// Text that is not a rule with daylight saving gives none.
TEST(ZoneRule, RefusesTheRest) {
  for (const std::string_view text :
       {"", "UTC0", "<+03>-3", "CET", "CET-1CEST", "CET-1CEST,M3.5.0", "CET-1CEST,M13.5.0,M10.5.0",
        "CET-1CEST,M3.0.0,M10.5.0", "CET-1CEST,M3.5.7,M10.5.0", "CET-1CEST,M3.5.0,M10.5.0x",
        "<CET-1CEST,M3.5.0,M10.5.0", "CET-99CEST,M3.5.0,M10.5.0", "CET-1CEST,J999,M10.5.0"}) {
    EXPECT_FALSE(parse_zone_rule(text)) << text;
  }
}

}  // namespace
}  // namespace drover::triggers
