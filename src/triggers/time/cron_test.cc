#include "triggers/time/cron.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "testing/plain_words.h"

namespace drover::triggers {
namespace {

using Values = std::set<size_t>;

template <size_t N>
Values values(const std::bitset<N>& bits) {
  Values out;
  for (size_t i = 0; i < N; ++i) {
    if (bits[i]) out.insert(i);
  }
  return out;
}

Values range(size_t from, size_t to, size_t step = 1) {
  Values out;
  for (; from <= to; from += step) out.insert(from);
  return out;
}

Cron parsed(std::string_view text) {
  const auto cron = parse_cron(text);
  EXPECT_TRUE(cron) << text << ": " << (cron ? "" : cron.error().message);
  return cron.value_or(Cron{});
}

// Every form of a field names the values that its description says.
TEST(Cron, ReadsEveryFormOfAField) {
  const auto minutes = [](const std::string& field) {
    return values(parsed(field + " * * * *").minutes);
  };
  EXPECT_EQ(minutes("*"), range(0, 59));
  EXPECT_EQ(minutes("?"), range(0, 59));
  EXPECT_EQ(minutes("7"), (Values{7}));
  EXPECT_EQ(minutes("007"), (Values{7}));
  EXPECT_EQ(minutes("10-13"), range(10, 13));
  EXPECT_EQ(minutes("10-10"), (Values{10}));
  EXPECT_EQ(minutes("*/15"), (Values{0, 15, 30, 45}));
  EXPECT_EQ(minutes("*/7"), range(0, 56, 7));
  EXPECT_EQ(minutes("*/60"), (Values{0}));
  EXPECT_EQ(minutes("10-40/10"), (Values{10, 20, 30, 40}));
  EXPECT_EQ(minutes("10-39/10"), (Values{10, 20, 30}));
  EXPECT_EQ(minutes("5/20"), (Values{5, 25, 45}));
  EXPECT_EQ(minutes("59/1"), (Values{59}));
  EXPECT_EQ(minutes("1,2,1-3,50-59/9"), (Values{1, 2, 3, 50, 59}));
  EXPECT_EQ(minutes("*,5"), range(0, 59));
}

// The months and weekdays have names in any case, and Sunday is 0 as well as 7.
TEST(Cron, ReadsNamesAndBothSundays) {
  const auto months = [](const std::string& field) {
    return values(parsed("0 0 1 " + field + " *").months);
  };
  EXPECT_EQ(months("JAN,mar-May,dEc"), (Values{1, 3, 4, 5, 12}));
  EXPECT_EQ(months("feb-12/5"), (Values{2, 7, 12}));
  const auto weekdays = [](const std::string& field) {
    return values(parsed("0 0 * * " + field).weekdays);
  };
  EXPECT_EQ(weekdays("mon-fri"), range(1, 5));
  EXPECT_EQ(weekdays("0"), (Values{0}));
  EXPECT_EQ(weekdays("7"), (Values{0}));
  EXPECT_EQ(weekdays("0-7"), range(0, 6));
  EXPECT_EQ(weekdays("5-7"), (Values{0, 5, 6}));
  EXPECT_EQ(weekdays("*"), range(0, 6));
  EXPECT_EQ(weekdays("*/2"), (Values{0, 2, 4, 6}));
  EXPECT_EQ(weekdays("1/2"), (Values{1, 3, 5}));
  EXPECT_EQ(weekdays("7/3"), (Values{0, 3, 6}));
  EXPECT_EQ(weekdays("SUN,Tue-thu/2"), (Values{0, 2, 4}));
}

// L is the last day of the month, and with a weekday the last such day.
TEST(Cron, ReadsLast) {
  const Cron both = parsed("0 0 15,l * *");
  EXPECT_TRUE(both.last_day);
  EXPECT_EQ(values(both.days), (Values{15}));
  EXPECT_EQ(values(parsed("0 0 * * 5L,Lmon,7l").last_weekdays), (Values{0, 1, 5}));
  EXPECT_EQ(values(parsed("0 0 * * friL,1").weekdays), (Values{1}));
}

// With five fields the second is 0; with six it comes first. Blanks around fields do not count.
TEST(Cron, HasFiveOrSixFields) {
  EXPECT_EQ(values(parsed("1 2 3 4 5").seconds), (Values{0}));
  const Cron six = parsed("\t*/20  1 2 3\t4 5 ");
  EXPECT_EQ(values(six.seconds), (Values{0, 20, 40}));
  EXPECT_EQ(values(six.minutes), (Values{1}));
  EXPECT_EQ(values(six.hours), (Values{2}));
  EXPECT_EQ(values(six.days), (Values{3}));
  EXPECT_EQ(values(six.months), (Values{4}));
  EXPECT_EQ(values(six.weekdays), (Values{5}));
}

// A field that begins with a star counts as unrestricted, even with a step; only then must a day
// match both day fields.
TEST(Cron, KnowsWhichFieldsBeginWithAStar) {
  EXPECT_TRUE(parsed("0 0 13 * *").all_of_days);
  EXPECT_TRUE(parsed("0 0 * * 5").all_of_days);
  EXPECT_TRUE(parsed("0 0 */2 * 5").all_of_days);
  EXPECT_TRUE(parsed("0 0 13 * ?").all_of_days);
  EXPECT_FALSE(parsed("0 0 13 * 5").all_of_days);
  EXPECT_FALSE(parsed("0 0 1-31 * 0-6").all_of_days);
  EXPECT_TRUE(parsed("*/5 2 * * *").is_wildcard);
  EXPECT_TRUE(parsed("0 * * * *").is_wildcard);
  EXPECT_FALSE(parsed("0-59 0-23 * * *").is_wildcard);
  EXPECT_FALSE(parsed("* 30 2 * * *").is_wildcard);
}

// The nicknames are crons, in any case.
TEST(Cron, ReadsNicknames) {
  const std::vector<std::pair<std::string_view, std::string_view>> rows = {
      {"@yearly", "0 0 1 1 *"},   {"@annually", "0 0 1 1 *"}, {"@monthly", "0 0 1 * *"},
      {"@weekly", "0 0 * * 0"},   {"@daily", "0 0 * * *"},    {"@midnight", "0 0 * * *"},
      {" @Hourly ", "0 * * * *"},
  };
  for (const auto& [nickname, fields] : rows)
    EXPECT_EQ(parsed(nickname), parsed(fields)) << nickname;
}

struct Refused {
  std::string text;
  std::string_view message;  // A part of it.
};

// Every mistake is refused with the field, its bounds and the fix, in plain words.
TEST(Cron, RefusesMistakesAndSaysWhy) {
  const std::vector<Refused> rows = {
      {"", "it has 0 fields; write 5"},
      {"* * * *", "it has 4 fields"},
      {"0 0 0 1 1 * 2030", "it has 7 fields"},
      {"60 * * * *", "minute \"60\": \"60\" is outside 0-59"},
      {"* 24 * * *", "hour \"24\": \"24\" is outside 0-23"},
      {"* * 0 * *", "day of month \"0\": \"0\" is outside 1-31"},
      {"* * 32 * *", "is outside 1-31"},
      {"* * * 0 *", "month \"0\": \"0\" is outside 1-12"},
      {"* * * 13 *", "is outside 1-12"},
      {"* * * * 8", "day of week \"8\": \"8\" is outside 0-7"},
      {"60 * * * * *", "second \"60\""},
      {"* * * foo *", "\"foo\" is not a number in 1-12 or a name JAN-DEC"},
      {"* * * * frid", "or a name SUN-SAT"},
      {"mon * * * *", "\"mon\" is not a number in 0-59"},
      {"-1 * * * *", "a value is missing"},
      {"5- * * * *", "a value is missing"},
      {"+5 * * * *", "\"+5\" is not a number"},
      {"1.5 * * * *", "\"1.5\" is not a number"},
      {"99999999999 * * * *", "is not a number in 0-59"},
      {"1,,2 * * * *", "an element between commas is empty"},
      {",1 * * * *", "an element between commas is empty"},
      {"1, * * * *", "an element between commas is empty"},
      {"** * * * *", "\"**\" is not a number"},
      {"*-5 * * * *", "\"*\" is not a number"},
      {"1-5-9 * * * *", "\"5-9\" is not a number"},
      {"*/0 * * * *", "the step must be 1-60"},
      {"*/ * * * *", "the step must be 1-60"},
      {"*/x * * * *", "the step must be 1-60"},
      {"*/5/5 * * * *", "the step must be 1-60"},
      {"*/90 * * * *", "use @every, such as @every 90m"},
      {"* */25 * * *", "the step must be 1-24"},
      {"* 22-2 * * *", "the range 22-2 runs backward; write 22-23,0-2"},
      {"* * * nov-feb *", "the range 11-2 runs backward; write 11-12,1-2"},
      {"* * * * fri-sun", "the range 5-0 runs backward; write 5-6,0"},
      {"* * L-3 * *", "L stands alone"},
      {"* * 15W * *", "W and # are not supported"},
      {"* * * * 5#2", "W and # are not supported"},
      {"* * * * L", "L needs a weekday, such as 5L"},
      {"* * * * 1-5L", "\"1-5\" is not a number"},
      {"L * * * *", "\"L\" is not a number"},
      {"@reboot", "start the command with a systemd unit"},
      {"@every 30m", "nothing may follow @every"},
      {"@fortnightly", "use @yearly"},
      {"@daily 5", "nothing may follow @daily"},
      {"* * * * *\n", "\"*\n\" is not a number"},
      {std::string(300, '*'), "it is longer than 256 bytes"},
  };
  for (const Refused& row : rows) {
    const auto cron = parse_cron(row.text);
    ASSERT_FALSE(cron) << row.text;
    EXPECT_EQ(cron.error().code, ErrorCode::invalid);
    EXPECT_EQ(cron.error().reason, "invalid_cron");
    EXPECT_EQ(cron.error().param, "cron");
    EXPECT_TRUE(cron.error().message.contains(row.message)) << cron.error().message;
    EXPECT_EQ(testing::violations(cron.error().message), std::vector<std::string>{});
  }
}

}  // namespace
}  // namespace drover::triggers
