// Times as people type them, in local time.
#include "cli/typed_time.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>
#include <optional>

namespace drover::cli {
namespace {

class TypedTime : public ::testing::Test {
 protected:
  TypedTime() {
    if (const char* zone = std::getenv("TZ")) zone_ = zone;
    ::setenv("TZ", "Europe/Berlin", 1);
    ::tzset();
  }
  ~TypedTime() override {
    zone_ ? ::setenv("TZ", zone_->c_str(), 1) : ::unsetenv("TZ");
    ::tzset();
  }
  // As RFC 3339; the error's text if it is refused.
  static std::string read(std::string_view text, Side side = Side::past) {
    const auto time =
        parse_typed_time(text, "at", parse_time("2026-11-18T11:30:00Z", "at").value(), side);
    return time ? rfc3339(*time) : time.error().reason;
  }

 private:
  std::optional<std::string> zone_;
};

// A day that does not exist is refused, and not moved into the next month.
TEST_F(TypedTime, WithADayThatDoesNotExistIsRefused) {
  EXPECT_EQ(read("2027-02-28 10:00"), "2027-02-28T09:00:00.000Z");
  for (const char* text : {"2027-02-29 10:00", "2027-02-30 10:00", "2027-04-31 23:59:59"}) {
    EXPECT_EQ(read(text), "invalid_value") << text;
  }
}

// A time without a day is the latest or the next one, in local time.
TEST_F(TypedTime, WithoutADayIsTheNearest) {
  EXPECT_EQ(read("03:00"), "2026-11-18T02:00:00.000Z");
  EXPECT_EQ(read("12:30"), "2026-11-18T11:30:00.000Z");
  EXPECT_EQ(read("13:00:05"), "2026-11-17T12:00:05.000Z");
  EXPECT_EQ(read("03:00", Side::future), "2026-11-19T02:00:00.000Z");
  EXPECT_EQ(read("13:00", Side::future), "2026-11-18T12:00:00.000Z");
}

// A day counts, also across a change of the clock; RFC 3339 has its own offset.
TEST_F(TypedTime, WithADayIsThatDay) {
  EXPECT_EQ(read("2026-07-01 03:00"), "2026-07-01T01:00:00.000Z");
  EXPECT_EQ(read("2026-12-24 18:00:01", Side::past), "2026-12-24T17:00:01.000Z");
  EXPECT_EQ(read("2026-07-01T03:00:00.250+02:00"), "2026-07-01T01:00:00.250Z");
}

// Anything else is refused, with the forms that are accepted.
TEST_F(TypedTime, RefusesOtherTexts) {
  for (const char* bad : {"", "3", "25:00", "03:60", "03:00 ", "tomorrow", "2026-13-01 03:00",
                          "2026-11-18", "03:00x", "-03:00"}) {
    EXPECT_EQ(read(bad), "invalid_value") << bad;
  }
}

}  // namespace
}  // namespace drover::cli
